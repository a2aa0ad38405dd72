package ruleset

import (
	"errors"
	"testing"
)

// A file of rules is told by what is in it: XML is of PAL, all else are tables.
func TestReadFile(t *testing.T) {
	const analysis = `<PAL NAME="Own" VERSION="1"><INHERITANCE FILEPATH="System.xml"/>
<ANALYSIS NAME="Memory" ENABLED="True"><DATASOURCE TYPE="CounterLog" NAME="\Memory\Available MBytes" COLLECTIONVARNAME="C" EXPRESSIONPATH="\Memory\Available MBytes"/>
<THRESHOLD NAME="Less than 9" CONDITION="Critical" COLOR="Red" PRIORITY="100"><CODE>StaticThreshold -CollectionOfCounterInstances $C -Operator 'lt' -Threshold 9</CODE></THRESHOLD>
<THRESHOLD NAME="A script" CONDITION="Critical" COLOR="Red" PRIORITY="100"><CODE>Remove-Item C:\</CODE></THRESHOLD></ANALYSIS></PAL>`
	for _, c := range []struct {
		name, text            string
		rules, left, warnings int
		isWrong, none         bool
	}{
		{"thresholds", analysis, 1, 2, 0, false, false},
		{"thresholds behind a mark", "\xEF\xBB\xBF\r\n" + analysis, 1, 2, 0, false, false},
		{"tables", "[[alert]]\nwhen = '\\A\\B>1'\n", 1, 0, 0, false, false},
		{"tables with a word too many", "[[alert]]\nwhen = '\\A\\B>1'\nodd = 1\n", 1, 0, 1, false, false},
		{"no rules, and a warning", "odd = 1\n", 0, 0, 1, true, true},
		{"an empty file", "", 0, 0, 0, true, true},
		{"other XML", "<html></html>", 0, 0, 0, true, false},
		{"no tables", "a,b\n", 0, 0, 0, true, false},
	} {
		f, err := ReadFile("f", []byte(c.text))
		if len(f.Rules) != c.rules || len(f.Left) != c.left || len(f.Warnings) != c.warnings || (err != nil) != c.isWrong || errors.Is(err, ErrNone) != c.none {
			t.Errorf("%s: %+v, %v", c.name, f, err)
		}
	}
}
