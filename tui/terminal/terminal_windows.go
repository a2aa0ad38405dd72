package terminal

import (
	"context"
	"os"
	"time"

	"golang.org/x/sys/windows"
	"golang.org/x/term"
)

const canSuspend = false

// modes is the state of the console before the program.
type modes struct{ in, out *term.State }

// makeRaw also has the console send keys and obey output as a terminal does.
func makeRaw(in, out *os.File) (modes, error) {
	var saved modes
	var err error
	if saved.out, err = term.GetState(int(out.Fd())); err != nil {
		return saved, err
	}
	if saved.in, err = term.MakeRaw(int(in.Fd())); err != nil {
		return saved, err
	}
	const outputModes = windows.ENABLE_PROCESSED_OUTPUT | windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING |
		windows.DISABLE_NEWLINE_AUTO_RETURN
	for _, console := range []struct {
		file *os.File
		mode uint32
	}{{in, windows.ENABLE_VIRTUAL_TERMINAL_INPUT}, {out, outputModes}} {
		if err := addMode(console.file, console.mode); err != nil {
			_ = restore(in, out, saved)
			return saved, err
		}
	}
	return saved, nil
}

func addMode(console *os.File, mode uint32) error {
	handle := windows.Handle(console.Fd())
	var now uint32
	if err := windows.GetConsoleMode(handle, &now); err != nil {
		return err
	}
	return windows.SetConsoleMode(handle, now|mode)
}

func restore(in, out *os.File, saved modes) (err error) {
	if saved.in != nil {
		err = term.Restore(int(in.Fd()), saved.in)
	}
	if saved.out != nil {
		if err2 := term.Restore(int(out.Fd()), saved.out); err == nil {
			err = err2
		}
	}
	return err
}

// sizePoll is how often the size is asked for: the console sends no signal.
const sizePoll = 250 * time.Millisecond

// Watch calls notify for each event until the context ends.
func (t *Terminal) Watch(ctx context.Context, notify func(Event)) {
	ticker := time.NewTicker(sizePoll)
	defer ticker.Stop()
	lastW, lastH, _ := t.Size()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			w, h, err := t.Size()
			if err == nil && (w != lastW || h != lastH) {
				lastW, lastH = w, h
				notify(Resized)
			}
		}
	}
}

// stopJob is not reached, canSuspend being false.
func stopJob() {}

// readable waits until a console has something to read.
func readable(file *os.File, wait time.Duration) bool {
	event, err := windows.WaitForSingleObject(windows.Handle(file.Fd()), uint32(wait.Milliseconds()))
	return err != nil || event == windows.WAIT_OBJECT_0
}

// watcher gives the terminal back where the program cannot. Here none does: a shell of
// Windows sets the modes of its console itself when a program has ended, and there is none
// that costs as little.
type watcher struct{}

func modeOf(*os.File) string                                   { return "" }
func startWatcher(_, _ *os.File, _, _ string, _ bool) *watcher { return nil }
func (*watcher) tell(bool)                                     {}
func (*watcher) end()                                          {}
