package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"

	"perfdeck/session/hosts/ssh/sshtest"
)

// firstValue is a value on the deck that needs no second reading.
var firstValue = regexp.MustCompile(`Load 1 min +\d`)

// BenchmarkFirstValueOverSSH runs ssh HOST true and perfdeck -H ssh://HOST in turn, the
// latter on a terminal until a value is there: how much longer it takes is the median of
// all rounds. perfdeck is on the host already.
func BenchmarkFirstValueOverSSH(b *testing.B) {
	server := new(sshtest.Shared)
	b.Cleanup(server.Stop)
	h := server.Need(b).Host(b, "")
	program := filepath.Join(b.TempDir(), "perfdeck")
	build := exec.Command("go", "build", "-o", program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	environ := append(slices.Clone(plainEnviron), "PATH="+h.Dir+":"+os.Getenv("PATH"), "XDG_STATE_HOME="+b.TempDir())
	first := exec.Command(program, "-H", "ssh://box", "--deploy", "list", "Memory")
	first.Env = environ
	if out, err := first.CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	var plain, ours []time.Duration
	for b.Loop() {
		began := time.Now()
		if out, err := exec.Command(h.Program, "box", "true").CombinedOutput(); err != nil {
			b.Fatalf("%v: %s", err, out)
		}
		plain = append(plain, time.Since(began))
		ours = append(ours, untilFirstValue(b, environ, program))
	}
	slices.Sort(plain)
	slices.Sort(ours)
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	middle := len(plain) / 2
	b.ReportMetric(ms(plain[middle]), "ms-ssh-true")
	b.ReportMetric(ms(ours[middle]), "ms-first-value")
	b.ReportMetric(ms(ours[middle]-plain[middle]), "ms-more")
}

// untilFirstValue runs the program on a terminal until a value of the host is there.
func untilFirstValue(b *testing.B, environ []string, program string) time.Duration {
	b.Helper()
	master, tty, err := pty.Open()
	if err != nil {
		b.Skipf("no pseudo terminal: %v", err)
	}
	_ = pty.Setsize(tty, &pty.Winsize{Cols: 120, Rows: 36})
	screen := vt.NewSafeEmulator(120, 36)
	go func() { _, _ = io.Copy(master, screen) }()
	wrote := make(chan struct{}, 1)
	go func() { // the screen is looked at when it has changed
		buf := make([]byte, 64<<10)
		for {
			n, err := master.Read(buf)
			if err != nil {
				return
			}
			_, _ = screen.Write(buf[:n])
			select {
			case wrote <- struct{}{}:
			default:
			}
		}
	}()
	cmd := exec.Command(program, "-H", "ssh://box")
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = environ, tty, tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	late := time.After(time.Minute)
	for !firstValue.MatchString(screen.String()) {
		select {
		case <-wrote:
		case <-late:
			b.Fatalf("no value:\n%s", screen.String())
		}
	}
	took := time.Since(began)
	_ = cmd.Process.Signal(syscall.SIGTERM)
	_ = cmd.Wait()
	_ = tty.Close()
	_ = master.Close()
	_ = screen.InputPipe().(io.Closer).Close()
	return took
}
