package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"perfdeck/session/app/remotesets/memory"
	"perfdeck/session/app/windowscli"
	"perfdeck/session/hosts/pla"
)

// ofHosts runs a command line with hosts that have sets in memory.
type ofHosts struct {
	t     *testing.T
	hosts map[string]*memory.Host
}

func newHosts(t *testing.T, names ...string) *ofHosts {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	h := &ofHosts{t, map[string]*memory.Host{}}
	for _, name := range names {
		h.hosts[name] = memory.New()
	}
	return h
}

func (h *ofHosts) run(args ...string) (stdout, stderr string, code int) {
	h.t.Helper()
	files := make([]*os.File, 3)
	for i := range files {
		f, err := os.Create(filepath.Join(h.t.TempDir(), "f"))
		if err != nil {
			h.t.Fatal(err)
		}
		defer f.Close()
		files[i] = f
	}
	p := &program{in: files[0], out: files[1], err: files[2], environ: []string{"TERM=dumb"}, openSets: func(name string) (pla.Sets, error) {
		if one := h.hosts[name]; one != nil {
			one.Open++
			return one, nil
		}
		return nil, errors.New("no route")
	}}
	if tool := windowscli.ByName(args[0]); tool != nil {
		code = p.runTool(tool, args[1:])
	} else {
		code = p.run(append([]string{"collect"}, args...))
	}
	texts := make([]string, 3)
	for i, f := range files {
		data, err := os.ReadFile(f.Name())
		if err != nil {
			h.t.Fatal(err)
		}
		texts[i] = string(data)
	}
	return texts[1], texts[2], code
}

// want runs a command line and holds its exit code, and what it prints.
func (h *ofHosts) want(code int, stdout, stderr string, args ...string) {
	h.t.Helper()
	out, errs, got := h.run(args...)
	if got != code || !strings.Contains(out, stdout) || !strings.Contains(errs, stderr) {
		h.t.Errorf("%q: exit code %d, want %d\n%s\nwant %s\n%s\nwant %s", args, got, code, out, stdout, errs, stderr)
	}
}

// The commands do to a host's sets what they do to one's own, and -H never means these.
func TestSetsOfHosts(t *testing.T) {
	h := newHosts(t, "a", "b")
	a := h.hosts["a"]
	h.want(exitDone, "a     Service\\Web     stopped", "", "list", "-H", "a", "-H", "b")
	h.want(exitDone, `{"host":"b","name":"Autosession\\Bt","kind":"set","status":"undefined"}`, "", "list", "-H", "b", "--json")
	h.want(exitPartly, `Service\Web`, "x: no route", "list", "-H", "x", "-H", "a")
	h.want(exitFailed, "", "x: no route", "list", "-H", "x")
	h.want(exitDone, `runs as CORP\svc`, "", "show", "-H", "a", "web")
	h.want(exitPartly, "a: Service\\web: running", "x: no route", "start", "-H", "a", "-H", "x", "web")
	h.want(exitDone, `"host":"a","name":"Service\\Web","kind":"set","status":"running"`, "", "list", "-H", "a", "--json")
	h.want(exitFailed, "", "-y changes what runs", "update", "-H", "a", "web", "--every", "5")
	h.want(exitDone, "Service\\Web: changed", "takes it back", "update", "-H", "a", "web", "--every", "5", "-y")
	h.want(exitDone, "is so already", "", "update", "-H", "a", "web", "--every", "5", "-y")
	h.want(exitUsage, "", "--every", "update", "-H", "a", "web", "--every", "1.5")
	h.want(exitUsage, "", "SampleInterval", "update", "-H", "a", "web", "--every", "0")
	h.want(exitDone, "New: made", "", "create", "counter", "-H", "a", "New", `\A\B`)
	h.want(exitFailed, "", "PLA_E_DCS_ALREADY_EXISTS 0x803000B7", "create", "counter", "-H", "a", "New", `\A\B`)
	a.Says = []pla.Problem{{Key: "/DataCollectorSet/Task", Code: 0x80300101, Text: "\x1b[31mbad"}}
	h.want(exitPartly, "Low: made", "Task: ?[31mbad (PLA_E_PROPERTY_CONFLICT 0x80300101)", "create", "alert", "-H", "a", "Low", "--threshold", `\A\B>1`)
	h.want(exitFailed, "error: Task", "", "check", "-H", "a", "web")
	a.Says = nil
	h.want(exitDone, "nothing is wrong", "", "check", "-H", "a", "web")
	file := filepath.Join(t.TempDir(), "web.xml")
	h.want(exitDone, "", "", "export", "-H", "a", "web", "-o", file)
	h.want(exitFailed, "", "there already", "export", "-H", "a", "web", "-o", file)
	h.want(exitDone, "Other: is there", "", "import", "-H", "b", file, "--name", "Other")
	if got, sent := h.hosts["b"].Sets[`service\other`].XML, a.Sets[`service\web`].XML; got != sent {
		t.Errorf("imported\n%s\nof\n%s", got, sent)
	}
	h.want(exitDone, "nothing is wrong", "", "check", "-H", "b", file)
	h.want(exitFailed, "", "0x80300002", "show", "-H", "b", "none")
	h.want(exitDone, "", "", "delete", "-H", "a", "New")
	for _, args := range [][]string{
		{"list", "-H", "a", "-H", "local"}, {"delete", "-H", "a", "-H", "b", "web"}, {"run", "-H", "a", "web"}, {"report", "-H", "a", "web"},
		{"delete", "-H", "a", "web", "--files"}, {"export", "-H", "a", "--pack", "memory"}, {"start", "-H", "a", "web", "--blg"},
		{"update", "-H", "a", `System\Sys`, "--every", "5"}, {"start", "-H", "a", `Autosession\Bt`},
	} {
		before := len(a.Asked)
		if out, errs, code := h.run(args...); code != exitUsage || errs == "" || len(a.Asked) != before {
			t.Errorf("%q: exit code %d\n%s%s", args, code, out, errs)
		}
	}
	out, _, _ := h.run("list", "-H", "local", "--json")
	if out != "" {
		t.Errorf("sets of one's own were made: %s", out)
	}
}

// The password of an account that a set runs as is in a file, or asked for, and in no message.
func TestRunAs(t *testing.T) {
	h := newHosts(t, "a")
	file := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(file, []byte("s3cret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h.want(exitDone, "changed", "", "update", "-H", "a", "web", "--run-as", `CORP\ana`, "--run-as-password-file", file)
	if as := h.hosts["a"].Commits[0].RunAs; as == nil || as.User != `CORP\ana` || h.hosts["a"].Password != "s3cret" {
		t.Errorf("%+v with %q", as, h.hosts["a"].Password)
	}
	h.want(exitFailed, "", "no terminal to ask", "update", "-H", "a", "web", "--run-as", "ana")
	h.want(exitDone, "changed", "", "update", "-H", "a", "web", "--run-as", "system")
	if as := h.hosts["a"].Commits[2].RunAs; as == nil || as.User != "" || as.Password != nil {
		t.Errorf("SYSTEM is %+v", as)
	}
	h.want(exitUsage, "", "-H", "create", "counter", "x", `\A\B`, "--run-as", "ana")
	h.want(exitUsage, "", "whose password", "create", "counter", "-H", "a", "x", `\A\B`, "--run-as-password-file", file)
}

// logman -s does it by its own options, and prints in its form.
func TestLogmanOfHosts(t *testing.T) {
	h := newHosts(t, "web01")
	h.want(exitDone, "Web                                     Trace, Counter                Stopped\n", "", "logman", "query", "-s", `\\web01`)
	h.want(exitDone, "Run as:               CORP\\svc", "", "logman", "query", "web", "-s", "web01")
	h.want(exitDone, windowscli.Done, "", "logman", "create", "counter", "New", "-s", "web01", "-c", `\A\B`, "-o", `c:\logs\new.csv`, "-f", "csv")
	if xml := h.hosts["web01"].Sets[`service\new`].XML; !strings.Contains(xml, `<RootPath>c:\logs</RootPath>`) || !strings.Contains(xml, "<FileName>new<") {
		t.Error(xml)
	}
	h.want(exitDone, windowscli.Done, "", "logman", "start", "New", "-s", "web01")
	h.want(exitDone, windowscli.Done, "", "logman", "update", "New", "-s", "web01", "-si", "5", "-y")
	h.want(exitFailed, "", "0x80300002", "logman", "query", "none", "-s", "web01")
	h.want(exitDone, windowscli.Done, "", "logman", "delete", "New", "-s", "web01")
	h.want(exitFailed, "", "no route", "logman", "query", "-s", "web02")
}
