package main

import (
	"strings"
	"testing"

	"perfdeck/session/app/inventory"
	"perfdeck/session/app/windowscli"
)

// What commands are made of is known to them: each is parsed by the command that it
// names.
func TestToolsOfWindowsAreKnown(t *testing.T) {
	for _, line := range []string{
		`typeperf \A\B -si 5 -sc 3 -s web01`, `typeperf -cf c.txt -o x.blg -f BIN -y`, `typeperf -f SQL -o SQL:a!b \A\B`, `typeperf -qx A`,
		`relog a.csv -b 10:00 -e 11:00 -c \A\B -cf c.txt -t 2 -a -f SQL -o SQL:a!b -y`, `relog a.csv -q`,
		`logman create counter x -f bincirc -max 5 -sc 3 -cnf 10 -rf 20 -si 5 -b 1/1/2026 8:00 -r -v -a --ow -o web -c \A\B -rc t`,
		`logman create alert x -th \A\B>1 -el -rdcs y -tn t`, `logman update x --b --cnf --max`, `logman import x -xml f -y`, `logman export x -xml f -y`, `logman stop x`,
		`logman create counter x -s web01 -u ana * -o c:\logs\x -c \A\B`, `logman update x -s web01 -y --u -si 5`, `logman import x -s web01 -xml f -y -u ana`, `logman export x -s web01 -xml f -y`, `logman start x -s web01`,
	} {
		args := strings.Fields(line)
		translated, err := windowscli.ByName(args[0]).Translate(args[1:], inventory.IsLocal)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		p := &program{}
		for _, args := range translated.Commands {
			c, rest, err := p.rootCommand().Find(args)
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			if err := c.ParseFlags(rest); err != nil {
				t.Errorf("%s: %q: %v", line, args, err)
			}
		}
	}
}
