package logon

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// commandFailures are scripts that fail with a password, $1, at hand.
var commandFailures = []string{
	`echo $1; echo $1 >&2; exit 3`,
	`echo; echo $1`,
	`echo $1; kill -9 $$`,
	`while :; do echo $1$1$1$1$1$1$1$1; done`,
	`printf '%5000s\n' $1`,
	`exec 1>&-; echo $1`,
	`/nonexistent/$1`,
}

func sh(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("no sh on Windows")
	}
}

func TestPasswordCommand(t *testing.T) {
	sh(t)
	for _, c := range []struct {
		script string
		want   string
		err    error // nil without want: any
	}{
		{`echo secret`, "secret", nil},
		{`printf 'secret \r\nuser: ana\n'`, "secret ", nil},
		{`printf secret; echo no >&2`, "secret", nil},
		{`cat; echo secret`, "secret", nil}, // nothing comes in
		{`echo secret; sleep 60 &`, "secret", nil},
		{`echo "$HOME,$LANG,$XDG_RUNTIME_DIR,$TERM"`, "/h,C,,", nil},
		{`[ -t 0 ] || (: </dev/tty) 2>/dev/null || echo secret`, "secret", nil}, // no terminal
		{`exit 3`, "", nil},
		{`kill -9 $$`, "", errCommandSignal},
		{`:`, "", errNoPassword},
		{`echo; echo secret`, "", errNoPassword},
		{`printf '%5000s\n' x`, "", errLongPassword},
		{`while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done`, "", errCommandOutput},
		{`trap '' PIPE TERM; while :; do echo xxxxxxxxxxxxxxxxxxxxxxx 2>/dev/null; done`, "", errCommandOutput},
	} {
		environ := []string{"PATH=" + os.Getenv("PATH"), "HOME=/h", "LANG=C"}
		got, err := runPasswordCommand(t.Context(), []string{"sh", "-c", c.script}, environ, commandTimeout)
		if string(got) != c.want || (err != nil) != (c.want == "") || c.err != nil && !errors.Is(err, c.err) {
			t.Errorf("%s: %q, %v, want %q, %v", c.script, got, err, c.want, c.err)
		}
	}
}

// A command that does not end is ended, with all that it started.
func TestHangingCommand(t *testing.T) {
	sh(t)
	_, err := runPasswordCommand(t.Context(), []string{"sh", "-c", `trap '' TERM HUP; echo secret; sleep 600 & sleep 600`}, nil, time.Millisecond)
	if !errors.Is(err, errCommandTime) {
		t.Errorf("error %v", err)
	}

	line := filepath.Join(t.TempDir(), "line")
	if err := exec.CommandContext(t.Context(), "mkfifo", line).Run(); err != nil {
		t.Skipf("no mkfifo: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		const script = `trap '' TERM HUP; (echo up; sleep 600) >"$1" & sleep 600`
		_, err := runPasswordCommand(ctx, []string{"sh", "-c", script, "sh", line}, nil, time.Hour)
		ended <- err
	}()
	f, err := os.Open(line)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	up := make([]byte, 3)
	if _, err := io.ReadFull(f, up); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if _, err := io.ReadAll(f); err != nil { // ends with the last that could write
		t.Error(err)
	}
}

// Without a shell nothing in an argument is special.
func TestCommandWithoutShell(t *testing.T) {
	sh(t)
	got, err := runPasswordCommand(t.Context(), []string{"echo", "$HOME;", "`id`", "*"}, nil, commandTimeout)
	if string(got) != "$HOME; `id` *" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := runPasswordCommand(t.Context(), []string{"no-such-program"}, nil, commandTimeout); !errors.Is(err, exec.ErrNotFound) || strings.Contains(err.Error(), "no-such") {
		t.Errorf("a program that is not there: %v", err)
	}
}
