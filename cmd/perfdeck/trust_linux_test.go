package main

import (
	"bytes"
	bits "encoding/binary"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"perfdeck/session/system/sharedtest"
)

const anotherUser = 4711

// homeOf is a home of a user with files in it; links begin with ->.
func homeOf(t *testing.T, user int, files map[string]string) string {
	t.Helper()
	home := t.TempDir()
	for name, text := range files {
		name = filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		if to, is := strings.CutPrefix(text, "->"); is {
			err = os.Symlink(to, name)
		} else {
			err = os.WriteFile(name, []byte(text), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if user == os.Geteuid() {
		return home
	}
	err := filepath.Walk(home, func(name string, _ os.FileInfo, err error) error {
		return errors.Join(err, os.Lchown(name, user, user))
	})
	if err != nil {
		t.Skip(err)
	}
	return home
}

// inHome runs the program.
func inHome(t *testing.T, home string, args ...string) (said string, code int) {
	t.Helper()
	cmd := homeCommand(t, home, args...)
	out, _ := cmd.CombinedOutput()
	return string(out), cmd.ProcessState.ExitCode()
}

func homeCommand(t *testing.T, home string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), binary(t), args...)
	cmd.Env = []string{"HOME=" + home, "PATH=/usr/bin:/bin", "GORACE=atexit_sleep_ms=0"}
	return cmd
}

// watchesIn watches in a home until a rule of the command line fired, when all others were judged, too,
// or it is refused.
func watchesIn(t *testing.T, home string) string {
	t.Helper()
	var out said
	cmd := homeCommand(t, home, "watch", "-i", "1", "--alert", `\Memory\Available MBytes>1`)
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	sharedtest.Until(t, &out, func() bool { return len(ended) > 0 || strings.Contains(out.String(), " fired ") })
	_ = cmd.Process.Signal(syscall.SIGTERM)
	<-ended
	return out.String()
}

// A config that others may write, or another user's, sends, writes and runs nothing, and
// check says so.
func TestConfigOfOthers(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root gives files away")
	}
	var mu sync.Mutex
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, r.URL.Path)
	}))
	defer server.Close()
	dir := t.TempDir()
	secret, made, recorded := filepath.Join(dir, "secret"), filepath.Join(dir, "made"), filepath.Join(dir, "recorded.csv")
	if err := os.WriteFile(secret, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf(`
[[alert]]
name = "x"
when = '\Memory\Available MBytes > 1'
interval = "1s"
then = ["webhook:w", "task:t", "alertmanager:m"]
[webhooks.w]
url = "%[1]s/webhook"
token_file = "%[2]s"
[tasks.t]
command = ["touch", "%[3]s"]
[[alertmanager]]
name = "m"
urls = ["%[1]s"]
token_file = "%[2]s"
[[push]]
name = "p"
url = "%[1]s/push"
token_file = "%[2]s"
[[record]]
name = "r"
paths = ['\Memory\Available MBytes']
file = "%[4]s"
always = true
`, server.URL, secret, made, recorded)
	const name = ".config/perfdeck/config.toml"
	open := homeOf(t, 0, map[string]string{name: text})
	folder := homeOf(t, 0, map[string]string{name: text})
	for of, mode := range map[string]os.FileMode{filepath.Join(open, name): 0o666, filepath.Join(folder, ".config"): 0o777} {
		if err := os.Chmod(of, mode); err != nil {
			t.Fatal(err)
		}
	}
	for what, home := range map[string]string{"a file": open, "a folder": folder, "another user": homeOf(t, anotherUser, map[string]string{name: text})} {
		said := watchesIn(t, home)
		told := 0
		for line := range strings.Lines(said) {
			if strings.HasPrefix(line, "perfdeck: ") && strings.Contains(line, filepath.Join(home, ".config")) {
				told++
			}
		}
		if told != 1 {
			t.Errorf("%s: watch says\n%s", what, said)
		}
		if said, code := inHome(t, home, "alerts", "check"); code != exitFailed || !strings.Contains(said, "webhooks") || !strings.Contains(said, "record[1]") {
			t.Errorf("%s: check ends with %d and says\n%s", what, code, said)
		}
	}
	for _, file := range []string{made, recorded} {
		if _, err := os.Stat(file); err == nil {
			t.Errorf("%s was written", file)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if len(asked) > 0 {
		t.Errorf("asked: %v", asked)
	}
}

// Root in the state of another user obeys nothing of it, follows no link, and leaves no file
// of its own; what users do to alerts, and notes, it adds for the owner.
func TestStateOfAnother(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root gives files away")
	}
	dir := t.TempDir()
	made, mine := filepath.Join(dir, "made"), filepath.Join(dir, "mine")
	if err := os.WriteFile(mine, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	rule := `{"state":{"rules":[{"name":"theirs","when":"\\Memory\\Available MBytes>1","severity":"warning","then":["log","file:` + made + `"]}]}}` + "\n"
	const state = ".local/state/perfdeck/"
	owned := func(home string) {
		t.Helper()
		_ = filepath.Walk(home, func(name string, info os.FileInfo, err error) error {
			if err != nil || info.Sys().(*syscall.Stat_t).Uid != anotherUser {
				t.Errorf("%s is root's, %v", name, err)
			}
			return nil
		})
	}
	home := homeOf(t, anotherUser, map[string]string{state + "alerts.jsonl": rule})
	said := watchesIn(t, home)
	if _, err := os.Stat(made); err == nil || strings.Count(said, filepath.Join(home, state[:len(state)-1])) != 1 {
		t.Errorf("made %v, and it says\n%s", err == nil, said)
	}
	for _, args := range [][]string{{"sample", "-n", "1", `\Memory\Available MBytes`}, {"record", "-n", "1", "-o", filepath.Join(dir, "a.csv"), `\Memory\Available MBytes`}, {"collect", "list"}} {
		inHome(t, home, args...)
	}
	owned(home)
	if said, code := inHome(t, home, "alerts", "list"); code != exitDone || !strings.Contains(said, "theirs") {
		t.Errorf("list: %d\n%s", code, said)
	}
	if said, code := inHome(t, home, "alerts", "mute", "2m", "theirs"); code != exitDone || !strings.Contains(said, "root") {
		t.Errorf("mute: %d\n%s", code, said)
	}
	if said, code := inHome(t, home, "note", "hello"); code != exitDone {
		t.Errorf("note: %d\n%s", code, said)
	}
	if said, code := inHome(t, home, "note", "--list"); code != exitDone || !strings.Contains(said, "hello") {
		t.Errorf("notes: %d\n%s", code, said)
	}
	owned(home)

	linked := homeOf(t, anotherUser, map[string]string{state + "notes.jsonl": "->" + mine, state + "alerts.lock": "->" + filepath.Join(dir, "new")})
	if said, code := inHome(t, linked, "note", "hello"); code != exitFailed {
		t.Errorf("note by a link: %d\n%s", code, said)
	}
	if said, code := inHome(t, linked, "alerts", "mute", "2m"); code != exitFailed {
		t.Errorf("mute by a link: %d\n%s", code, said)
	}
	text, _ := os.ReadFile(mine)
	if _, err := os.Stat(filepath.Join(dir, "new")); err == nil || string(text) != "mine" {
		t.Errorf("links were followed: %q", text)
	}
	empty := homeOf(t, anotherUser, nil)
	watchesIn(t, empty)
	inHome(t, empty, "note", "first")
	owned(empty)
}

// Who may list the state of a service but not read what he asks for has his own, which is empty.
func TestServiceThatMayNotBeRead(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root gives files away")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	place, err := os.MkdirTemp("", "perfdeck-service") // unlike the folders of tests, others may go there
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(place) })
	name := filepath.Join(place, "perfdeck")
	if err := errors.Join(os.Chmod(place, 0o755), os.MkdirAll(filepath.Join(place, "state", "recordings"), 0o755)); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(self, name); err != nil {
		t.Skip(err)
	}
	config, alerts, recordings := filepath.Join(place, "config.toml"), filepath.Join(place, "state", "alerts.jsonl"), filepath.Join(place, "state", "recordings")
	for name, text := range map[string]string{config: "[[alert]]\nname = 'theirs'\nabsent = 'host'\n", alerts: ""} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		args, file string // which he may not read; empty: he may all
		service    bool
	}{
		{"alerts list", "", true},
		{"alerts list", alerts, false},
		{"alerts list", config, false},
		{"alerts list", recordings, true},
		{"record --list", recordings, false},
		{"record --list", alerts, true},
	} {
		for name, mode := range map[string]os.FileMode{config: 0o644, alerts: 0o644, recordings: 0o755} {
			if name == c.file {
				mode = 0o600
			}
			if err := os.Chmod(name, mode); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.CommandContext(t.Context(), name, strings.Fields(c.args)...)
		cmd.Dir, cmd.Env = place, []string{"HOME=" + filepath.Join(place, "home"), serviceVariable + "=" + place, "GORACE=atexit_sleep_ms=0"}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: anotherUser, Gid: anotherUser}}
		said, err := cmd.CombinedOutput()
		is := strings.Contains(string(said), "of the user root") // where it looks
		if _, wrong := errors.AsType[*exec.ExitError](err); is != c.service || err != nil && !wrong || strings.Contains(string(said), "denied") {
			t.Errorf("%s without %s: %v\n%s", c.args, c.file, err, said)
		}
	}
}

// No child of the program gets the password of the environment.
func TestNoChildGetsThePassword(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	seen, config := filepath.Join(dir, "seen"), filepath.Join(dir, "c.toml")
	text := fmt.Sprintf(`
[[alert]]
when = '\Memory\Available MBytes > 1'
interval = "1s"
then = ["task:t"]
[tasks.t]
command = ["sh", "-c", "env > %[1]s.new; mv %[1]s.new %[1]s"]
`, seen)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), binary(t), "watch", "--config", config)
	cmd.Env = []string{"HOME=/dev/null", "PATH=/usr/bin:/bin", passwordVariable + "=hunter2"}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	var environ []byte
	sharedtest.Until(t, "the task", func() bool {
		var err error
		environ, err = os.ReadFile(seen)
		return err == nil
	})
	if bytes.Contains(environ, []byte("hunter2")) || bytes.Contains(environ, []byte(passwordVariable)) {
		t.Errorf("%s", environ)
	}
}

// Root checks a config against what runs as the user whose state that is: a secret that systemd
// gives to him alone is well, one that is root's alone is not.
func TestCheckAsTheService(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root gives files away")
	}
	dir, home := t.TempDir(), homeOf(t, anotherUser, map[string]string{".local/state/perfdeck/x": ""})
	name, secret := filepath.Join(dir, "c.toml"), filepath.Join(dir, "secret")
	for file, text := range map[string]string{name: "[[host]]\nname = 'two'\naddress = 'tcp://127.0.0.1:1'\nuser = 'ana'\npassword_file = '" + secret + "'\n", secret: "x\n"} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil { // the user goes there
		t.Fatal(err)
	}
	check := []string{"config", "check", name, "--against", "running"}
	if said, code := inHome(t, home, check...); code != exitFailed || !strings.Contains(said, "permission denied") {
		t.Errorf("a secret of root: %d\n%s", code, said)
	}
	// A version, then tag, permissions and user or group of each entry, as posix_acl_xattr.h has it.
	list := []byte{2, 0, 0, 0}
	for _, e := range [][3]uint32{{1, 4, ^uint32(0)}, {2, 4, anotherUser}, {4, 0, ^uint32(0)}, {0x10, 4, ^uint32(0)}, {0x20, 0, ^uint32(0)}} {
		list = bits.LittleEndian.AppendUint32(list, e[0]|e[1]<<16)
		list = bits.LittleEndian.AppendUint32(list, e[2])
	}
	if err := syscall.Setxattr(secret, "system.posix_acl_access", list, 0); err != nil {
		t.Skip(err)
	}
	if said, code := inHome(t, home, check...); code != exitDone {
		t.Errorf("a secret of the service: %d\n%s", code, said)
	}
}
