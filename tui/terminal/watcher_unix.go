//go:build !windows

package terminal

import (
	_ "embed" // the watcher
	"fmt"
	"os"
	"os/exec"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"perfdeck/session/system/tty"
)

//go:embed watcher.sh
var watcherScript string

// watcher is a small process that gives the terminal back where this one cannot. It waits
// for the end of a pipe: it costs what a shell does that reads, and wakes for nothing.
type watcher struct {
	cmd  *exec.Cmd
	pipe *os.File
}

// modeOf is the mode of a terminal that a watcher brings back.
func modeOf(file *os.File) string {
	if file == nil {
		return ""
	}
	return tty.Mode(int(file.Fd()))
}

// startWatcher starts one for a terminal that is in raw mode by now and was in another
// before; nil where there is no shell.
func startWatcher(in, out *os.File, was, end string, inside bool) *watcher {
	read, write, err := os.Pipe()
	if err != nil {
		return nil
	}
	defer read.Close()
	leader, _ := unix.Getsid(0)
	parent, _ := unix.Getpgid(unix.Getppid())
	groups := fmt.Sprint(unix.Getpgrp(), parent, leader)
	cmd := &exec.Cmd{
		Path: "/bin/sh", Dir: "/", Env: []string{"PATH=/usr/bin:/bin:/usr/sbin:/sbin"},
		Args:  []string{"perfdeck-terminal", "-c", watcherScript, "sh", was, modeOf(in), end, strconv.Itoa(leader), groups},
		Stdin: read, Stdout: out, Stderr: out, ExtraFiles: []*os.File{in},
		SysProcAttr: &syscall.SysProcAttr{Setsid: true}, // what ends the job is not to end it
	}
	w := &watcher{cmd, write}
	w.tell(inside)
	if was == "" || cmd.Start() != nil {
		_ = write.Close()
		return nil
	}
	_ = debug.SetCrashOutput(write, debug.CrashOptions{})
	return w
}

// tell says whether the terminal is the program's.
func (w *watcher) tell(inside bool) {
	word := "out\n"
	if inside {
		word = "in\n"
	}
	_, _ = strings.NewReader(word).WriteTo(w.pipe)
}

// end ends it: the terminal was given back.
func (w *watcher) end() {
	_ = debug.SetCrashOutput(nil, debug.CrashOptions{})
	_ = w.pipe.Close()
	_ = w.cmd.Wait()
}
