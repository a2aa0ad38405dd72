package main

import (
	"bytes"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"perfdeck/session/config/rulepack"
)

// completed are the ways that a command line may go on, without what is said of
// them.
func completed(t *testing.T, args ...string) (found []string) {
	t.Helper()
	var out bytes.Buffer
	root := testProgram().rootCommand()
	root.SetOut(&out)
	root.SetErr(&bytes.Buffer{})
	root.SetArgs(append([]string{"__complete", "--demo"}, args...))
	if err := root.Execute(); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		text, _, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !strings.HasPrefix(text, ":") { // how the shell goes on
			found = append(found, text)
		}
	}
	return found
}

// Rules are completed as far as they can be: sets, instances and counters, how the
// value is compared, what is absent. After that comes a number.
func TestRulesAreCompleted(t *testing.T) {
	for _, test := range []struct {
		typed string
		has   []string
		only  bool
	}{
		{`\Memo`, []string{`\Memory\`}, true},
		{`\memory\available m`, []string{`\Memory\Available MBytes`}, true},
		{`\Memory\Available MBytes`, []string{`\Memory\Available MBytes>`, `\Memory\Available MBytes<`}, true},
		{`\Memory\Available MBytes<`, nil, true},
		{`\Processor(_T`, []string{`\Processor(_Total)\`}, true},
		{``, []string{`absent host`, `\Memory\`}, false},
		{`ab`, []string{`absent host`, `absent \`}, true},
		{`absent h`, []string{`absent host`}, true},
		{`absent \Memo`, []string{`absent \Memory\`}, true},
	} {
		for _, command := range [][]string{{"watch"}, {"replay"}, {"alerts", "check"}, {}} {
			found := completed(t, append(command, "--alert", test.typed)...)
			for _, want := range test.has {
				if !slices.Contains(found, want) {
					t.Errorf("%v %q: %q, not %q", command, test.typed, found, want)
				}
			}
			if test.only && len(found) != len(test.has) {
				t.Errorf("%v %q: %q, want %q alone", command, test.typed, found, test.has)
			}
		}
	}
}

func TestPacksAreCompleted(t *testing.T) {
	for _, command := range [][]string{{"watch"}, {"alerts", "list"}} {
		if found := completed(t, append(command, "--pack", "")...); !slices.Equal(found, rulepack.Names()) {
			t.Errorf("%v: %q, want all of %q", command, found, rulepack.Names())
		}
		if found := completed(t, append(command, "--pack", "M")...); !slices.Equal(found, []string{"memory"}) {
			t.Errorf("%v: M is completed to %q", command, found)
		}
	}
}

// In bash a value behind = goes on as one behind a space: set and counter are asked
// for with the flag, and come back without it.
func TestBashCompletesBehindEquals(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash")
	}
	const asks = `
compopt() { :; }
perfdeck() { # __completeNoDesc watch WORD
	case $3 in
	'--alert=\Memo') printf '%s\n' '\Memory\' :6 ;;
	'--alert=\Memory\') printf '%s\n' '\Memory\A' '\Memory\B' :6 ;;
	*) echo :6 ;;
	esac
}
COMP_LINE="perfdeck watch --alert='\\Memo"
COMP_POINT=${#COMP_LINE}
_perfdeck perfdeck '\Memo' '='
printf '%s\n' "${COMPREPLY[@]}"`
	out, err := exec.CommandContext(t.Context(), bash, "--norc", "-c", bashCompletion+asks).CombinedOutput()
	if want := `\Memory\A` + "\n" + `\Memory\B` + "\n"; err != nil || string(out) != want {
		t.Errorf("%q (%v), want %q", out, err, want)
	}
}
