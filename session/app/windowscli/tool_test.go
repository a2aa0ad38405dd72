package windowscli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestTranslations holds what command lines of Windows mean here: those of the documentation of
// typeperf, relog and logman, and what is odd about their syntax.
func TestTranslations(t *testing.T) {
	for line, want := range map[string]string{
		// typeperf
		`typeperf "\Processor(_Total)\% Processor Time"`:               `sample --format=csv --digits=6 -- \Processor(_Total)\% Processor Time`,
		`typeperf -cf counters.txt -si 5 -sc 50 -f TSV -o domain2.tsv`: `record --format=tsv --interval=5 --counters-file=counters.txt --count=50 --output=domain2.tsv --`,
		`typeperf -qx -o counters.txt`:                                 `list --instances > counters.txt`,
		`typeperf -q PhysicalDisk -o counters.txt -y`:                  `list -- PhysicalDisk >| counters.txt`,
		`typeperf -qx PhysicalDisk`:                                    `list --instances -- PhysicalDisk`,
		`typeperf -f SQL -cf c.txt -o SQL:perf!Log1`:                   `record --format=sqlite --counters-file=c.txt --set=Log1 --output=perf.db -- ; -o: here it is the file perf.db`,
		`typeperf \Memory\X /SI 1:30 /sc 2 /s \\web01 /y`:              `sample --format=csv --digits=6 --interval=90 --host=web01 --count=2 -- \Memory\X`,
		`typeperf \A\B \C\D -si 01:00:05 -o x -f BIN -y`:               `record --format=blg --interval=3605 --output=x --overwrite -- \A\B \C\D`,
		`typeperf -q`:                           `list`,
		`typeperf`:                              `error: no counter is named`,
		`typeperf -sc x \A\B`:                   `error: -sc x is no number`,
		`typeperf -si 1:2:3:4 \A\B`:             `error: -si 1:2:3:4 is no time`,
		`typeperf -si 0 \A\B`:                   `error: at least a second`,
		`typeperf -f BIN \A\B`:                  `error: -f BIN needs a file`,
		`typeperf -f XML \A\B -o x`:             `error: there is no such value`,
		`typeperf \A\B -foo`:                    `error: there is no option -foo`,
		`typeperf \A\B -o`:                      `error: -o lacks its value`,
		`typeperf -cf /tmp/c.txt -o /tmp/x.csv`: `record --format=csv --counters-file=/tmp/c.txt --output=/tmp/x.csv --`,
		`typeperf -?`:                           `help`,
		`typeperf /?`:                           `help`,
		`typeperf -config settings.txt`:         `record --format=csv --interval=2 --output=my file.csv -- \Memory\Available MBytes`,
		`typeperf -config headed.txt`:           `sample --format=csv --digits=6 --interval=3 --count=4 -- \A\B \C (x)\D E`,
		`typeperf -config loop.txt`:             `error: names another one`,
		`typeperf -config missing.txt`:          `error: read the settings file`,
		// relog
		`relog c:\perflogs\daily_trace.blg -cf counter_file.txt -o c:\new.csv -f csv`: `shows: relog --counters-file=counter_file.txt --format=csv --output=c:\new.csv -- c:\perflogs\daily_trace.blg`,
		`relog /logs/daily.blg -cf counter_file.txt -t 30 -o reduced.blg -f bin`:      `shows: relog --counters-file=counter_file.txt --every=30 --format=blg --output=reduced.blg -- /logs/daily.blg`,
		`relog in.blg -q -o out.txt`:                                              `shows: relog --list -- in.blg > out.txt`,
		`relog a.blg b.blg -f SQL -o SQL:perf!Log1`:                               `shows: relog --set=Log1 --format=sqlite --output=perf.db -- a.blg b.blg`,
		`relog a.csv -b 3/1/2026 10:30:00 PM -e "3/2/2026 1:00:00AM" -o b.tsv -y`: `shows: relog --begin=2026-03-01 22:30:00 --end=2026-03-02 01:00:00 --format=tsv --output=b.tsv --yes -- a.csv`,
		`relog a.csv -b 10:30 -c \A\B \C\D -a -o b`:                               `shows: relog --begin=10:30:00 --counter=\A\B --counter=\C\D --append --format=blg --output=b.blg -- a.csv`,
		`relog a.blg`:                     `shows:`,
		`relog`:                           `error: no file is named`,
		`relog a.blg -b noon`:             `error: -b noon is no time`,
		`relog a.blg -b 13/45/2026 10:00`: `error: -b 13/45/2026 10:00 is no time`,
		`relog a.blg -t 0 -o b`:           `error: -t 0 is no number`,
		// logman
		`logman create counter perf_log -c "\Processor(_Total)\% Processor time"`:                                `quiet: collect create counter --counter=\Processor(_Total)\% Processor time -- perf_log`,
		`logman create counter daily_perf_log -b 7:00:00 -e 17:00:00 -r -m -c \A\B`:                              `quiet: collect create counter --counter=\A\B --begin=07:00:00 --days=daily --run-for=36000 -- daily_perf_log ; -m means nothing here: a set without -b starts when it is told to`,
		`logman create counter perf_log -max 10 -v mmddhhmm -c \A\B`:                                             `quiet: collect create counter --parts=MMddHHmm --counter=\A\B --segment-size=10MB --no-segments -- perf_log`,
		`logman create counter perf_log -f csv -c \A\B -b 1/15/2026 8:00:00AM -e 1/20/2026 5:00:00 PM -r`:        `quiet: collect create counter --format=csv --circular=false --counter=\A\B --begin=2026-01-15 08:00:00 --days=daily --end=2026-01-20 --run-for=32400 -- perf_log`,
		`logman create counter x -b 1/15/2026 8:00:00 -e 1/15/2026 9:30:00 -c \A\B`:                              `quiet: collect create counter --counter=\A\B --begin=2026-01-15 08:00:00 --days=once --run-for=5400 -- x`,
		`logman create counter x -si 0:15 -rf 8:00:00 -cnf 1:00:00 -f bincirc -max 100 -c \A\B`:                  `quiet: collect create counter --format=bincirc --circular=true --counter=\A\B --every=15 --run-for=28800 --segment-time=3600 --segment-size=100MB -- x`,
		`logman create counter x -cnf -max 5 -c \A\B -sc 10`:                                                     `quiet: collect create counter --counter=\A\B --segment-size=5MB --segment-samples=10 -- x`,
		`logman create alert new_alert -th "\Processor(_Total)\% Processor time>50" -el -rdcs perf_log -tn page`: `quiet: collect create alert --threshold=\Processor(_Total)\% Processor time>50 --event-log=true --start-set=perf_log --alert-task=page -- new_alert`,
		`logman create counter x -o /srv/logs/web.csv -ow -a -c \A\B`:                                            `quiet: collect create counter --output=web --root=/srv/logs --overwrite=true --append=true --counter=\A\B -- x`,
		`logman create counter x -o "c:\perflogs\web" -u CORP\ana secret -c \A\B`:                                `quiet: collect create counter --output=web --counter=\A\B -- x ; -u means nothing here: sets run as the user who starts them ; the folder of c:\perflogs\web is one of Windows: files go below the state folder, or where perfdeck collect update --root says`,
		`logman update counter perf_log --cnf --max --a -si 30`:                                                  `quiet: collect update --append=false --every=30 --segment-time=0 --segment-size=0MB --no-segments -- perf_log`,
		`logman update perf_log -f csv`:                                                                          `quiet: collect update --format=csv --circular=false -- perf_log`,
		`logman update perf_log --b`:                                                                             `quiet: collect update --no-schedule -- perf_log`,
		`logman start perf_log`:                                                                                  `quiet: collect start -- perf_log`,
		`logman stop -n perf_log -as`:                                                                            `quiet: collect stop -- perf_log ; -as means nothing here: each command ends when it is done`,
		`logman delete perf_log`:                                                                                 `quiet: collect delete -- perf_log`,
		`logman import perf_log -xml c.xml`:                                                                      `quiet: collect import --name=perf_log -- c.xml`,
		`logman import -n perf_log -xml c.xml -y`:                                                                `quiet: collect import --name=perf_log --replace -- c.xml`,
		`logman export perf_log -xml c.xml`:                                                                      `quiet: collect export --output=c.xml -- perf_log`,
		`logman query`:                                                                                           `shows:`,
		`logman query perf_log -s localhost`:                                                                     `shows:`,
		`logman query perf_log -s \\web01`:                                                                       `shows: web01`,
		`logman query -s web01`:                                                                                  `shows: web01`,
		`logman create counter x -s web01 -o "c:\perflogs\web.csv" -u CORP\ana * -c \A\B`:                        `quiet: collect create counter --host=web01 --output=web --root=c:\perflogs --counter=\A\B --run-as=CORP\ana -- x`,
		`logman create counter x -s web01 -u CORP\ana secret -c \A\B`:                                            `error: -u: a password on a command line`,
		`logman update x -s web01 -si 5 -u CORP\ana -y`:                                                          `quiet: collect update --host=web01 --every=5 --yes --run-as=CORP\ana -- x`,
		`logman update System\x -s web01 --u`:                                                                    `quiet: collect update --host=web01 --run-as=SYSTEM -- System\x`,
		`logman start Service\x -s web01`:                                                                        `quiet: collect start --host=web01 -- Service\x`,
		`logman stop x -s web01 -u ana *`:                                                                        `error: -u means nothing to stop`,
		`logman delete x -s web01`:                                                                               `quiet: collect delete --host=web01 -- x`,
		`logman import x -s web01 -xml c.xml -u ana *`:                                                           `quiet: collect import --host=web01 --name=x --run-as=ana -- c.xml`,
		`logman export x -s web01 -xml c.xml`:                                                                    `quiet: collect export --host=web01 --output=c.xml -- x`,
		`logman query providers`:                                                                                 `error: only counters and alerts`,
		`logman create trace x -ets`:                                                                             `error: only counters and alerts`,
		`logman create cfg x`:                                                                                    `error: only counters and alerts`,
		`logman create x`:                                                                                        `error: only counters and alerts`,
		`logman start`:                                                                                           `error: the name of the set is missing`,
		`logman`:                                                                                                 `error: what is to be done is missing`,
		`logman frob x`:                                                                                          `error: invalid syntax: frob`,
		`logman import x`:                                                                                        `error: -xml and its file are missing`,
		`logman create counter x -e 9:00 -c \A\B`:                                                                `error: -e needs -b`,
		`logman create counter x -b 1/15/2026 9:00 -e 1/14/2026 9:00 -c \A\B`:                                    `error: -e is before -b`,
		`logman create counter x -v yyyy -c \A\B`:                                                                `error: -v yyyy`,
		`logman create counter x -max ten -c \A\B`:                                                               `error: -max ten is no number`,
	} {
		t.Run(line, func(t *testing.T) {
			inSettings(t)
			args := words(line)
			if got := meant(ByName(args[0]), args[1:]); got != want && !(strings.HasPrefix(want, "error: ") && strings.HasPrefix(got, "error: ") && strings.Contains(got, want[len("error: "):])) {
				t.Errorf("means\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func isLocal(name string) bool { return name == "." }

// inSettings goes to a folder with settings files.
func inSettings(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"settings.txt": "; ours\n\"\\Memory\\Available MBytes\"\n-si 2\n-o \"my file.csv\"\r\n",
		"headed.txt":   "\ufeff[si]\n3\n[sc]\n4\n\\A\\B\n\\C (x)\\D E\n",
		"loop.txt":     "-config loop.txt\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
}

// meant is what a command line means, in a line.
func meant(tool *Tool, args []string) string {
	e, err := tool.Translate(args, isLocal)
	if err == ErrHelp { //nolint:errorlint // it is not wrapped
		return "help"
	}
	if err != nil {
		return "error: " + err.Error()
	}
	var parts []string
	switch {
	case e.Before.Shows == Inputs || e.Before.Shows == Sets:
		parts = append(parts, "shows:")
		if e.Before.Host != "" {
			parts = append(parts, e.Before.Host)
		}
	case e.Quiet && tool.Name == "logman":
		parts = append(parts, "quiet:")
	}
	for _, c := range e.Commands {
		parts = append(parts, c...)
	}
	switch {
	case e.Output != "" && e.Replace:
		parts = append(parts, ">|", e.Output)
	case e.Output != "":
		parts = append(parts, ">", e.Output)
	}
	return strings.Join(append([]string{strings.Join(parts, " ")}, e.Notes...), " ; ")
}

func TestNamesAndHelp(t *testing.T) {
	for name, want := range map[string]string{"typeperf": "typeperf", "/usr/bin/LOGMAN.EXE": "logman", "relog": "relog", "./relog.exe": "relog", "perfdeck": "", "relog2": "", "": ""} {
		got := ""
		if f := ByName(name); f != nil {
			got = f.Name
		}
		if got != want {
			t.Errorf("%q is %q", name, got)
		}
	}
	for _, f := range Tools() {
		help := f.Help()
		for _, o := range f.options() {
			if !strings.Contains(help, "-"+o.name) && !strings.Contains(help, "]"+o.name) || o.here == "" && o.none == "" {
				t.Errorf("%s /? does not tell of -%s", f.Name, o.name)
			}
		}
		names := make([]string, len(f.options()))
		for i := range f.options() {
			names[i] = f.options()[i].name
		}
		if slices.Sort(names); len(slices.Compact(names)) != len(f.options()) {
			t.Errorf("%s has an option twice", f.Name)
		}
	}
}

// FuzzTranslate: whatever is typed, it has a translation or an error.
func FuzzTranslate(f *testing.F) {
	for _, line := range []string{`typeperf \A\B -si 5`, `logman create counter x -b 1/1/2026 8:00 PM -r`, `relog a -q /y -c`, "logman --"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		args := words(line)
		if len(args) == 0 || slices.Contains(args, "-config") {
			return
		}
		one := ByName(args[0])
		if one == nil {
			return
		}
		if e, err := one.Translate(args[1:], isLocal); (e == nil) == (err == nil) {
			t.Errorf("%q: %v %v", line, e, err)
		}
	})
}

// No word is left unread: what is none of a verb's, a word too many and an option that is given
// twice are refused by name; signs of pages mean what is typed, or are refused.
func TestEveryWordIsRead(t *testing.T) {
	for line, want := range map[string]string{
		"logman create counter A1 \u2013max 512 -c \\A\\B \u2212si 5":     `quiet: collect create counter --counter=\A\B --every=5 --segment-size=512MB --no-segments -- A1`,
		"logman update A4 \u2010max 5":                                    `quiet: collect update --segment-size=5MB -- A4`,
		"logman update A4 \u2013\u2013a":                                  `quiet: collect update --append=false -- A4`,
		"logman create counter A1 -max\u00a0512 -c\u00a0\\A\\B":           `quiet: collect create counter --counter=\A\B --segment-size=512MB --no-segments -- A1`,
		"logman update A4 \u2014max 5":                                    `error: can mean two options`,
		"logman create alert A7 \u2013foo 5 -th \\A\\B>1":                 `error: there is no option -foo`,
		"typeperf \u2013sc 1 \\A\\B":                                      `sample --format=csv --digits=6 --count=1 -- \A\B`,
		"typeperf -c \\A\\B \\C\\D -sc 1":                                 `sample --format=csv --digits=6 --count=1 -- \A\B \C\D`,
		"typeperf \\A\\B -si\u30005":                                      `sample --format=csv --digits=6 --interval=5 -- \A\B`,
		"typeperf \u00b4\\A\\B\u00b4":                                     `error: quotes nothing`,
		"typeperf `\\A\\B":                                                "sample --format=csv --digits=6 -- `\\A\\B",
		"relog a.blg \u2012q":                                             `shows: relog --list -- a.blg`,
		"typeperf \u201c\\A\\B\u201d":                                     `error: quotes nothing`,
		"logman create counter x -c \u201c\\A\\B C\u201d":                 `error: quotes nothing`,
		`typeperf "\A\% d’inactivité"`:                                    `sample --format=csv --digits=6 -- \A\% d’inactivité`,
		`logman create counter A5 junk more -c \A\B`:                      `error: junk is one word too many`,
		`logman create counter -n A5 junk -c \A\B`:                        `error: junk is one word too many`,
		`logman delete A5 junk`:                                           `error: junk is one word too many`,
		`logman start A5 junk`:                                            `error: junk is one word too many`,
		`logman stop -n A5 junk`:                                          `error: junk is one word too many`,
		`logman query A5 junk`:                                            `error: junk is one word too many`,
		`logman import A5 junk -xml f`:                                    `error: junk is one word too many`,
		`logman export A5 -xml f junk`:                                    `error: junk is one word too many`,
		`logman update counter A5 junk --max`:                             `error: junk is one word too many`,
		`logman update A5 --max 5`:                                        `error: 5 is one word too many`,
		`logman create counter x -si 5 -si 6 -c \A\B`:                     `error: -si is given twice`,
		`logman create counter x -c \A\B -c \C\D`:                         `error: -c is given twice`,
		`logman update x -b 9:00 --b`:                                     `error: -b is given twice`,
		`logman create counter x -bs 5 -bs 6 -c \A\B`:                     `error: -bs is given twice`,
		`typeperf \A\B -sc 1 /SC 2`:                                       `error: -sc is given twice`,
		`relog a.blg -o b -o c`:                                           `error: -o is given twice`,
		`logman start x -si 5`:                                            `error: -si means nothing to start`,
		`logman delete x -max 5`:                                          `error: -max means nothing to delete`,
		`logman query x -c \A\B`:                                          `error: -c means nothing to query`,
		`logman export x -xml f -si 5`:                                    `error: -si means nothing to export`,
		`logman create counter x -c \A\B -xml f`:                          `error: -xml means nothing to create`,
		`logman create counter x -c \A\B -th \A\B>1`:                      `error: -th means nothing to create counter`,
		`logman create alert x -th \A\B>1 -o f`:                           `error: -o means nothing to create alert`,
		`logman create counter T -c \A\B --v --r --a --ow --el --b --max`: `quiet: collect create counter --counter=\A\B -- T`,
		`logman create alert T -th \A\B>1 --v --a`:                        `quiet: collect create alert --threshold=\A\B>1 -- T`,
		`logman update T --v --r`:                                         `quiet: collect update --parts= --days=once -- T`,
		`typeperf -q A B`:                                                 `error: B is one word too many`,
		`typeperf A -q B`:                                                 `error: A is one word too many`,
		`typeperf -q A -sc 3`:                                             `error: -sc means nothing to a list`,
		`typeperf -q -qx`:                                                 `error: exclude each other`,
		`relog a.blg -t 5`:                                                `error: -t means nothing to relog without -o`,
		`relog a.blg -q -f csv`:                                           `error: -f means nothing to -q`,
		`logman create trace x -ets`:                                      `error: create trace`,
	} {
		t.Run(line, func(t *testing.T) {
			args := words(line)
			got := meant(ByName(args[0]), args[1:])
			if text, fails := strings.CutPrefix(want, "error: "); got != want && !(fails && strings.HasPrefix(got, "error: ") && strings.Contains(got, text)) {
				t.Errorf("means\n%s\nwant\n%s", got, want)
			}
		})
	}
}
