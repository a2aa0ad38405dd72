//go:build unix

package ssh

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"perfdeck/session"
	"perfdeck/session/hosts/ssh/sshtest"
	"perfdeck/session/system/failure"
	"perfdeck/session/text/printable"
)

// A host with nothing on it is read: perfdeck is copied there once, what it serves has
// values, numbers of rows and facts, and nothing of the other side reaches a screen as
// it came.
func TestHostWithNothing(t *testing.T) {
	t.Parallel()
	h := newHost(t, "")
	h.progress()
	s, b := h.reads()
	if b.Sets[0].Readings[0].Raw != 1000 {
		t.Errorf("%+v", b.Sets[0])
	}
	p := &b.Sets[1]
	if len(p.Instances) != 2 || p.Instances[1].Number != 101 || len(p.Facts) != 4 || !strings.HasPrefix(p.Facts[3], "Command Line of sshd") {
		t.Errorf("%+v %q", p.Instances, p.Facts)
	}
	for _, fact := range p.Facts {
		if printable.Text(fact) != fact {
			t.Errorf("%q", fact)
		}
	}
	for _, step := range []string{"connect", "host key: ssh-ed25519 SHA256:", "log on", "far shell: Linux", "copy perfdeck", "far program: perfdeck test"} {
		if !strings.Contains(h.told(), step) {
			t.Errorf("no step %q in\n%s", step, h.told())
		}
	}
	must(t, s.Close())
	copied, err := filepath.Glob(filepath.Join(h.Home, ".cache/perfdeck/*/perfdeck"))
	if err != nil || len(copied) != 1 {
		t.Fatal(copied, err)
	}
	info, err := os.Stat(copied[0])
	must(t, err)
	if info.Mode().Perm() != 0o700 {
		t.Errorf("mode %v", info.Mode())
	}

	h.steps = nil
	h.reads()
	if strings.Contains(h.told(), "copy") {
		t.Errorf("copied again:\n%s", h.told())
	}
	// What was changed since is not run: it is copied anew.
	must(t, os.Remove(copied[0]))
	must(t, os.WriteFile(copied[0], []byte("exit 3\n"), 0o700))
	h.steps = nil
	h.reads()
	if !strings.Contains(h.told(), "copy") {
		t.Errorf("not copied again:\n%s", h.told())
	}
}

// Without a word of the user nothing is copied, and the error says what to do.
func TestNothingIsCopiedUnasked(t *testing.T) {
	t.Parallel()
	h := newHost(t, "")
	h.o.Deploy = false
	err := h.refused()
	var hinted interface{ Hint() string }
	if !errors.As(err, &hinted) || !strings.Contains(hinted.Hint(), "--deploy") || !strings.Contains(err.Error(), "has no perfdeck") {
		t.Errorf("%v", err)
	}
	if left, _ := os.ReadDir(h.Home); len(left) > 0 {
		t.Errorf("%v", left)
	}
}

// user answers questions, and counts them.
type user struct {
	mu      sync.Mutex
	asked   []Question
	answers func(q Question, times int) (string, error)
}

func (u *user) ask(_ context.Context, q Question) (string, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.asked = append(u.asked, q)
	return u.answers(q, len(u.asked))
}

func (u *user) texts() (out []string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, q := range u.asked {
		out = append(out, q.Text)
	}
	return out
}

// What ssh and perfdeck have to ask is asked through perfdeck, each thing once.
func TestQuestions(t *testing.T) {
	t.Parallel()
	server := theServer.Need(t)
	h := newHost(t, "", "-N", passphrase)
	h.Configure("127.0.0.1", server.Port, "") // the key is not known
	h.o.Deploy = false
	u := &user{answers: func(q Question, times int) (string, error) {
		switch {
		case q.YesNo:
			return "yes", nil
		case times == 2:
			return "wrong", nil
		}
		return passphrase, nil
	}}
	h.o.Prompter.Ask = u.ask
	h.reads()
	h.reads()
	texts := u.texts()
	for i, part := range []string{"SHA256:", "passphrase", "not taken", "Copy this one there"} {
		if i >= len(texts) || !strings.Contains(texts[i], part) {
			t.Fatalf("question %d is not about %s: %q", i, part, texts)
		}
	}
	if len(texts) != 4 {
		t.Errorf("asked for more: %q", texts)
	}
	if i := slices.IndexFunc(u.asked, func(q Question) bool { return q.Secret == q.YesNo || q.Host != "ssh://box" }); i >= 0 {
		t.Errorf("%+v", u.asked[i])
	}
}

// Who does not answer is not asked again, until the user tries the host.
func TestUnansweredQuestion(t *testing.T) {
	t.Parallel()
	h := newHost(t, "", "-N", passphrase)
	u := &user{answers: func(Question, int) (string, error) { return "", errors.New("no") }}
	h.o.Prompter.Ask = u.ask
	for range 2 {
		if err := h.refused(); !errors.Is(err, session.ErrDenied) {
			t.Errorf("%v", err)
		}
	}
	if n := len(u.texts()); n != 1 {
		t.Errorf("asked %d times", n)
	}
	h.source().Retried()
	h.refused()
	if n := len(u.texts()); n != 2 {
		t.Errorf("asked %d times", n)
	}
}

// Where nobody can be asked ssh asks nothing, and says why it goes no further.
func TestHeadless(t *testing.T) {
	t.Parallel()
	server := theServer.Need(t)
	unknown := newHost(t, "")
	unknown.Configure("127.0.0.1", server.Port, "")
	changed := newHost(t, "")
	sshtest.Keygen(t, filepath.Join(changed.Dir, "other"))
	changed.Configure("127.0.0.1", server.Port, filepath.Join(changed.Dir, "other.pub"))
	locked := newHost(t, "", "-N", passphrase)
	nobody := newHost(t, "")
	nobody.Configure("127.0.0.1", 1, "")
	nowhere := newHost(t, "")
	nowhere.Configure("no-such-host.invalid", 22, "")
	for name, c := range map[string]struct {
		h      *farHost
		denied bool
		says   string
	}{
		"unknown key": {unknown, true, "key is not known"},
		"changed key": {changed, true, "not the one that is known"},
		"passphrase":  {locked, true, "none of the keys"},
		"refused":     {nobody, false, "nothing listens"},
		"no name":     {nowhere, false, "name is not known"},
	} {
		err := c.h.refused()
		var hinted interface{ Hint() string }
		if errors.Is(err, session.ErrNotThere) != (c.h == nobody || c.h == nowhere) {
			t.Errorf("%s: it is there, or not: %v", name, err)
		}
		if errors.Is(err, session.ErrDenied) != c.denied || !strings.Contains(err.Error(), c.says) || !errors.As(err, &hinted) || hinted.Hint() == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A login shell that prints what it likes is put up with, and named.
func TestChattyShell(t *testing.T) {
	t.Parallel()
	h := newHost(t, `export HOME="$D/home"; echo; printf 'Welcome\r\n  to \033[31mbox'; exec /bin/bash -c "$SSH_ORIGINAL_COMMAND"`)
	h.progress()
	h.reads()
	if told := h.told(); !strings.Contains(told, "its login shell prints: Welcome") || strings.Contains(told, "\x1b") {
		t.Errorf("%q", told)
	}
	endless := newHost(t, `exec yes "a line of a shell that does not end"`)
	if err := endless.refused(); !strings.Contains(err.Error(), errNoise.Error()) {
		t.Errorf("%v", err)
	}
}

// Users who may not run programs are told as what they are, by what the other side says.
func TestNoLoginShell(t *testing.T) {
	t.Parallel()
	sftp := "exit 11" // as it does without a word of what it does not understand
	for _, path := range []string{"/usr/lib/openssh/sftp-server", "/usr/libexec/openssh/sftp-server", "/usr/libexec/sftp-server"} {
		if _, err := os.Stat(path); err == nil {
			sftp = "exec " + path
		}
	}
	nologin := `echo 'This account is currently not available.'; exit 1`
	if path, err := exec.LookPath("/usr/sbin/nologin"); err == nil {
		nologin = "exec " + path
	}
	for login, says := range map[string]string{
		nologin: "currently not available",
		`echo This account is currently not available. >&2; exit 1`:       "currently not available",
		`printf 'This service allows sftp connections only.\r\n'; exit 1`: "allows sftp connections only",
		`printf '\nNo shell for you\033[31m'; exit 0`:                     "No shell for you",
		sftp: "ended before it answered",
	} {
		err := newHost(t, login).refused()
		if hint := failure.Hint(err); !strings.Contains(err.Error(), says) || !strings.Contains(hint, "nologin") || strings.Contains(err.Error(), "\x1b") {
			t.Errorf("%s: %v, hint %q", login, err, hint)
		}
	}
}

// The hint on a key that changed removes it, whatever the config calls the host.
func TestChangedKeyIsRemoved(t *testing.T) {
	t.Parallel()
	server := theServer.Need(t)
	for _, alias := range []string{"", "HostKeyAlias web19"} {
		h := newHost(t, "")
		sshtest.Keygen(t, filepath.Join(h.Dir, "other"))
		h.Configure("127.0.0.1", server.Port, filepath.Join(h.Dir, "other.pub"), alias)
		if alias != "" {
			key, err := os.ReadFile(filepath.Join(h.Dir, "other.pub"))
			must(t, err)
			must(t, os.WriteFile(filepath.Join(h.Dir, "known_hosts"), []byte("web19 "+string(key)), 0o600))
		}
		hint := failure.Hint(h.refused())
		_, command, ok := strings.Cut(hint, "ssh-keygen ")
		if !ok {
			t.Fatalf("hint %q", hint)
		}
		if out, err := exec.CommandContext(t.Context(), "sh", "-c", "ssh-keygen "+command).CombinedOutput(); err != nil || !strings.Contains(string(out), "updated") {
			t.Errorf("%q: %v: %s", command, err, out)
		}
		if err := h.refused(); !strings.Contains(err.Error(), "not known") {
			t.Errorf("%s: after it: %v", alias, err)
		}
	}
}

// installed is a host with perfdeck on it, and a login shell.
func installed(t *testing.T, shell string) *farHost {
	t.Helper()
	own, err := os.Executable()
	must(t, err)
	h := newHost(t, `export HOME="$D/home" PATH="$D/bin:$PATH"; exec `+shell+` -c "$SSH_ORIGINAL_COMMAND"`)
	must(t, os.Mkdir(filepath.Join(h.Dir, "bin"), 0o700))
	must(t, os.Symlink(own, filepath.Join(h.Dir, "bin/perfdeck")))
	h.o.Deploy = false
	return h
}

// Whatever the login shell is, it hands over to sh what it is told to run.
func TestLoginShells(t *testing.T) {
	t.Parallel()
	for _, shell := range []string{"bash", "dash", "busybox sh", "zsh", "fish", "tcsh", "ksh"} {
		t.Run(shell, func(t *testing.T) {
			name, _, _ := strings.Cut(shell, " ")
			path, err := exec.LookPath(name)
			if err != nil {
				t.Skip("needs the shell: ", err)
			}
			h := installed(t, path+strings.TrimPrefix(shell, name))
			h.progress()
			must(t, h.source().Connect(t.Context()))
			if told := h.told(); strings.Contains(told, "prints") {
				t.Errorf("%s", told)
			}
		})
	}
}

// What the user's config has for a host does not keep perfdeck from it, and a connection
// that stays in the background as a master holds nobody up and outlives its users.
func TestMasterAndOptions(t *testing.T) {
	t.Parallel()
	h := installed(t, "/bin/bash")
	dir, err := os.MkdirTemp("", "pd") // short: it is a socket's
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	server := theServer.Need(t)
	h.Configure("127.0.0.1", server.Port, server.HostKey,
		"ControlMaster auto", "ControlPath "+dir+"/%C", "ControlPersist 120", "RequestTTY force", "EscapeChar ~", "PermitLocalCommand yes", "LocalCommand touch "+dir+"/ran",
		"IgnoreUnknown RemoteCommand,SessionType,ForkAfterAuthentication,StdinNull", "RemoteCommand id", "SessionType none", "ForkAfterAuthentication yes", "StdinNull yes")
	t.Cleanup(func() { _ = exec.Command(h.Program, "-O", "exit", "box").Run() })
	for range 2 {
		s, _ := h.reads()
		must(t, s.Close())
		if sockets, err := os.ReadDir(dir); err != nil || len(sockets) != 1 || sockets[0].Name() == "ran" {
			t.Fatalf("%v, %v", sockets, err)
		}
	}
}
