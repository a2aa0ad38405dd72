//go:build !windows

package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"perfdeck/session/system/sharedtest"
)

// service is a command that goes on, over a config that is changed.
type serviceCommand struct {
	*testing.T
	cmd  *exec.Cmd
	dir  string
	said said // on standard error
}

// startService starts one. {DIR} in its config is a folder of the test.
func startService(t *testing.T, text string, args ...string) *serviceCommand {
	t.Helper()
	s := &serviceCommand{T: t, dir: t.TempDir()}
	s.write("password", "secret")
	s.config(text)
	s.cmd = exec.CommandContext(t.Context(), binary(t), append(args, "--config", filepath.Join(s.dir, "c.toml"))...)
	s.cmd.Env, s.cmd.Stderr = stateOf(s.dir), &s.said
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.cmd.Process.Kill(); _ = s.cmd.Wait() })
	s.await("of perfdeck ")
	return s
}

func (s *serviceCommand) write(name, text string) {
	if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o600); err != nil {
		s.Fatal(err)
	}
}

func (s *serviceCommand) config(text string) {
	s.write("c.toml", strings.ReplaceAll(text, "{DIR}", s.dir))
}

// await waits until something was said.
func (s *serviceCommand) await(text string) {
	s.Helper()
	sharedtest.Until(s, text, func() bool { return strings.Contains(s.said.String(), text) })
}

// reload changes the config, and waits until what comes of it is said.
func (s *serviceCommand) reload(text, want string) {
	s.Helper()
	s.config(text)
	_ = s.cmd.Process.Signal(syscall.SIGHUP)
	s.await(want)
}

// ends ends it, and holds its last word.
func (s *serviceCommand) ends() {
	s.Helper()
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	_ = s.cmd.Wait()
	if code := s.cmd.ProcessState.ExitCode(); code != 0 || !strings.HasSuffix(s.said.String(), "ends: ended by signal: terminated\n") {
		s.Errorf("exit code %d:\n%s", code, s.said.String())
	}
}

// meet is an address, and tells once somebody connects.
func meet(t *testing.T) (address string, met <-chan struct{}) {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	came := make(chan struct{})
	go func() {
		if c, err := l.Accept(); err == nil {
			c.Close()
			close(came)
		}
	}()
	return l.Addr().String(), came
}

const hostTables = "[[host]]\nname = %q\naddress = 'tcp://%s'\nuser = 'ana'\npassword_file = '{DIR}/password'\nwatch = true\n"

// SIGHUP has watch watch the hosts that came to the config, and open and close feeds. What is wrong
// changes nothing.
func TestReloadHostsAndFeeds(t *testing.T) {
	t.Parallel()
	first, met := meet(t)
	second, metToo := meet(t)
	rules := "[[alert]]\nname = 'm'\nwhen = '" + someMemory + "'\ninterval = 1\n"
	one := rules + fmt.Sprintf(hostTables, "one", first)
	s := startService(t, one, "watch")
	s.write("q.man", fedManifestOfTests)
	<-met
	s.reload(rules+fmt.Sprintf(hostTables, "two", second)+"[groups]\nfra = ['two']\n", "reloaded: groups +fra; host -one +two; 2 hosts, 1 rule")
	<-metToo
	feed := rules + "[[alert]]\nname = 'q'\nwhen = '\\Queue\\Length>1'\ninterval = 1\n[[feed]]\nname = 'q'\nmanifests = ['{DIR}/q.man']\nsocket = '{DIR}/s'\n"
	s.reload(feed, "alert +q; feed +q; groups -fra; host -two; 1 host, 2 rules")
	there := func() bool { _, err := os.Lstat(filepath.Join(s.dir, "s")); return err == nil }
	sharedtest.Until(s, "socket of the feed", there)
	s.reload(feed+"x", "c.toml:13:1: ") // with line and column
	s.reload(feed+"[webhooks.w]\nurl = 'http://127.0.0.1:1'\ntoken_file = '{DIR}/none'\n", "webhook w: read its token")
	s.reload(feed+fmt.Sprintf(strings.ReplaceAll(hostTables, "/password", "/gone"), "two", second), "host two: log on: read its password")
	s.reload(feed+"[webhooks.w]\nurl = 'http://127.0.0.1:1'\n", "reloaded: webhooks +w; ")
	s.reload(rules, "webhooks -w; 1 host, 1 rule")
	sharedtest.Until(s, "end of the feed", func() bool { return !there() })
	if text := s.said.String(); strings.Count(text, "nothing is taken") != 3 || strings.Count(text, "reloaded: ") != 4 {
		t.Error(text)
	}
	s.ends()
}

const fedManifestOfTests = `<counters xmlns="http://schemas.microsoft.com/win/2005/12/counters" schemaVersion="1.1">
<provider providerName="Q" symbol="Q" providerGuid="{51D1685C-35ED-45BE-99FE-17261A4F27F4}" applicationIdentity="q.exe" providerType="userMode" callback="custom">
<counterSet guid="{0D2C1E0A-5E1B-4A53-8B0C-2D3C6A5C9F12}" uri="Q.Q" symbol="Q" name="Queue" description="d" instances="single">
<counter id="1" uri="Q.1" symbol="A" name="Length" description="d" type="perf_counter_large_rawcount" detailLevel="standard"/>
</counterSet></provider></counters>`

// SIGHUP has serve read its accounts and feeds again; connections of who is not there any more are ended.
func TestReloadServe(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	accounts, password := filepath.Join(dir, "accounts"), filepath.Join(dir, "pw")
	if err := os.WriteFile(password, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"ana", "bob"} {
		runIn(t, dir, "serve", "passwd", name, "--accounts", accounts, "--password-file", password)
	}
	s := startService(t, "", "serve", "--listen", "127.0.0.1:0", "--accounts", accounts)
	s.write("q.man", fedManifestOfTests)
	_, address, _ := strings.Cut(strings.TrimSpace(s.said.String()), "serving on ")
	as := func(name string, path string) (string, int) {
		out, errOut, code := runs(t, stateOf(t.TempDir()), "sample", "-n", "1", "-H", "tcp://"+address, "-u", name, "--password-file", password, path)
		return out + errOut, code
	}
	if out, code := as("bob", `\Memory\Available MBytes`); code != 0 {
		t.Fatal(out)
	}
	if out, code := as("bob", `\Queue\Length`); code == 0 {
		t.Fatal(out)
	}
	stays := exec.CommandContext(t.Context(), binary(t), "sample", "-i", "1", "-n", "1000", "-H", "tcp://"+address, "-u", "bob", "--password-file", password, `\Memory\Available MBytes`)
	stays.Env = stateOf(t.TempDir())
	lines, err := stays.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := stays.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = stays.Process.Kill(); _ = stays.Wait() })
	if _, err := lines.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	runIn(t, dir, "serve", "passwd", "--remove", "bob", "--accounts", accounts)
	s.reload("", "1 account -bob")
	s.await("its account is not there any more")
	fed := "[[feed]]\nname = 'q'\nmanifests = ['{DIR}/q.man']\nsocket = '{DIR}/s'\n"
	s.reload(fed, "reloaded: feed +q; ")
	if out, code := as("bob", `\Memory\Available MBytes`); code == 0 {
		t.Error(out)
	}
	if out, code := as("ana", `\Queue\Length`); !strings.Contains(out, "Queue") || strings.Contains(out, "no object") {
		t.Error(out, code)
	}
	s.config(fed + strings.ReplaceAll(fmt.Sprintf(hostTables, "one", "127.0.0.1:1"), "/password", "/gone"))
	if out, errOut, code := runs(t, stateOf(s.dir), "config", "check", filepath.Join(s.dir, "c.toml"), "--against", "running"); code != exitFailed || strings.Contains(out, "for what is wrong") || !strings.Contains(out, "serve (process") {
		t.Errorf("a host, which serve does not ask: code %d\n%s%s", code, out, errOut)
	}
	_ = s.cmd.Process.Signal(syscall.SIGHUP)
	s.await("what else changed is not for serve")
	if err := os.Rename(accounts, accounts+".away"); err != nil {
		t.Fatal(err)
	}
	s.reload("", "nothing is taken")
	s.config(fed)
	s.write("q.man", strings.Replace(fedManifestOfTests, `name="Length"`, `name="Waiting"`, 1))
	_ = s.cmd.Process.Signal(syscall.SIGHUP)
	sharedtest.Until(s, "second refusal", func() bool { return strings.Count(s.said.String(), "nothing is taken") == 2 })
	if err := os.Rename(accounts+".away", accounts); err != nil {
		t.Fatal(err)
	}
	_ = s.cmd.Process.Signal(syscall.SIGHUP)
	s.await("reloaded: nothing changed")
	if out, code := as("ana", `\Queue\Waiting`); !strings.Contains(out, "Queue") || strings.Contains(out, "no counter") {
		t.Error(out, code) // what was refused with something else is read now
	}
	if out, code := as("ana", `\Memory\Available MBytes`); code != 0 {
		t.Error(out)
	}
	if out := runIn(t, dir, "serve", "passwd", "--remove", "ana", "--accounts", accounts); !strings.Contains(out, "and no other") {
		t.Error(out)
	}
	s.reload("", "0 accounts -ana") // the last one is revoked as any other
	if out, code := as("ana", `\Memory\Available MBytes`); code == 0 {
		t.Error(out)
	}
	if _, out, code := runs(t, stateOf(dir), "serve", "--listen", "127.0.0.1:0", "--accounts", accounts); code == 0 || !strings.Contains(out, "no account") {
		t.Error(out, code) // but none starts without
	}
	s.ends()
}

// SIGHUP has the exporter know other hosts, and push go elsewhere.
func TestReloadExporterAndPush(t *testing.T) {
	t.Parallel()
	s := startService(t, "", "exporter", "--listen", "127.0.0.1:0")
	_, rest, _ := strings.Cut(s.said.String(), "http://")
	address, _, _ := strings.Cut(rest, "/")
	s.reload("[[host]]\nname = 'two'\naddress = 'tcp://127.0.0.1:1'\nuser = 'ana'\n", "reloaded: host +two; 1 host of /metrics, 2 hosts of /probe")
	reply, err := http.Get("http://" + address + "/sd")
	if err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(reply.Body)
	reply.Body.Close()
	if !strings.Contains(string(text), `"two"`) {
		t.Errorf("%s", text)
	}
	s.reload("[[host]]\nname = 'two'\n", "nothing is taken")
	s.ends()
	s = startService(t, "[groups]\nfra = ['.']\n"+fmt.Sprintf(hostTables, "two", "127.0.0.1:1"), "exporter", "--listen", "127.0.0.1:0", "--group", "fra", "-H", "two")
	s.config("")
	if out, errOut, code := runs(t, stateOf(s.dir), "config", "check", filepath.Join(s.dir, "c.toml"), "--against", "running"); code != exitFailed || !strings.Contains(errOut, "fra") || !strings.Contains(errOut, "host two") {
		t.Errorf("a group and a host that are gone: code %d\n%s%s", code, out, errOut)
	}
	s.ends()

	var engines []string
	got := make(chan string, 1000)
	for _, name := range []string{"first", "second"} {
		e := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			select {
			case got <- name:
			default:
			}
		}))
		t.Cleanup(e.Close)
		engines = append(engines, "[[push]]\nname = 'p'\nurl = '"+e.URL+"/w'\nsets = ['Memory']\n")
	}
	s = startService(t, engines[0], "push", "--to", "p")
	for <-got != "first" {
	}
	checks := func(text, want string) { // and the reload says the same
		t.Helper()
		s.config(text)
		out, errOut, code := runs(t, stateOf(s.dir), "config", "check", filepath.Join(s.dir, "c.toml"), "--against", "running")
		if code != exitFailed || !strings.Contains(out+errOut, want) || strings.Count(out+errOut, "push (process") < 1 {
			t.Errorf("%q: code %d\n%s%s", text, code, out, errOut)
		}
		before := strings.Count(s.said.String(), "nothing is taken")
		_ = s.cmd.Process.Signal(syscall.SIGHUP)
		sharedtest.Until(s, "refusal", func() bool { return strings.Count(s.said.String(), "nothing is taken") > before })
	}
	checks("", "no [[push]] of that name")
	checks("nonsense", "a reload would take nothing, for what is wrong")
	checks("[[push]]\nname = 'p'\nurl = 'ftp://x'\n", "a reload would take nothing, for what is wrong")
	s.reload(engines[1], "reloaded: push *p; ")
	for <-got != "second" {
	}
	s.ends()
}

// What is no service ends by SIGHUP, and not as if all were well.
func TestHangupEnds(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), binary(t), "sample", "-i", "1", someMemory[:len(someMemory)-2])
	cmd.Env = stateOf(t.TempDir())
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Process.Signal(syscall.SIGHUP)
	_, _ = io.Copy(io.Discard, out)
	if _ = cmd.Wait(); cmd.ProcessState.ExitCode() != exitFailed {
		t.Errorf("exit code %d", cmd.ProcessState.ExitCode())
	}
}
