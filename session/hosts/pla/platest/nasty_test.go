package platest

import (
	"fmt"
	"strings"
)

// nasty are sets whose texts are meant to do harm where they are shown, written or read.
func nasty() []Set {
	bomb := `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY a0 "ha">`
	for i := range 30 {
		bomb += fmt.Sprintf(`<!ENTITY a%d "&a%[2]d;&a%[2]d;">`, i+1, i)
	}
	bomb += `]><DataCollectorSet><Name>&a30;</Name></DataCollectorSet>`
	return []Set{
		{Name: `..\..\Windows\win.ini`}, {Name: "../../etc/passwd"}, {Name: "CON"}, {Name: "a:b"}, {Name: " "}, {Name: "."}, {Name: ".."},
		{Name: "\x1b[31mred\x1b]0;title\x07"}, {Name: "line\nbreak\r\ttab"}, {Name: "zero\x00byte"}, {Name: "\u202egnp.exe"}, {Name: "e\u0301\u0301\u0301"},
		{Name: strings.Repeat("long", 1000)}, {Name: "\U0001f4a9"}, {Name: `Service\Prefixed`}, {Name: `System\Other`},
		{Name: "Bomb", XML: bomb}, {Name: "Deep", XML: strings.Repeat("<a>", 100_000) + strings.Repeat("</a>", 100_000)},
		{Name: "Cut", XML: "<DataCollectorSet><Na"}, {Name: "Nothing"}, {Name: "Big", XML: "<DataCollectorSet>" + strings.Repeat("<Counter>x</Counter>", 50_000) + "</DataCollectorSet>"},
		{Name: "Paths", Output: "\\\\elsewhere\\share\\..\\x\x1b[2J", Root: "%windir%\\..\\..", Security: "D:(\x1b", Account: "\x1b]52;c;aGk=\x07"},
	}
}
