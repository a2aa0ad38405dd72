// Package terminal owns the terminal's session: raw mode, the alternate screen,
// mouse, focus and paste modes, size, suspend, and giving everything back.
package terminal

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/term"

	"perfdeck/session/system/tty"
)

var (
	// ErrNoTerminal says that input or output is a file or a pipe.
	ErrNoTerminal = errors.New("not a terminal")
	// ErrLeft says that the terminal was given back; what was written is lost.
	ErrLeft = errors.New("the terminal was given back")
	// ErrHungUp says that nobody is at the other end of the terminal any more.
	ErrHungUp = errors.New("the terminal hung up")
	// ErrNoSuspend says that the system cannot stop a program.
	ErrNoSuspend = errors.New("not possible on this system")
)

// Options are the modes to switch on.
type Options struct {
	Title string // of the window; controls are left out
	Mouse bool   // clicks, drags and the wheel
	Focus bool   // focus and blur of the window
	Paste bool   // bracketed paste
	Query bool   // ask for synchronized output and the background colour
}

// Terminal is the terminal of the program. Every method may be called from any
// goroutine; Leave may be called at any time and any number of times.
type Terminal struct {
	in, out *os.File
	input   *Input
	options Options

	mu       sync.Mutex
	isInside bool
	saved    atomic.Pointer[modes] // nil before the first Enter
}

// Open checks that both files are terminals; it changes nothing.
func Open(in, out *os.File, options Options) (*Terminal, error) {
	for _, file := range []*os.File{in, out} {
		if file == nil {
			return nil, fmt.Errorf("open the terminal: %w", ErrNoTerminal)
		}
		if !term.IsTerminal(int(file.Fd())) {
			return nil, fmt.Errorf("open the terminal: %s: %w", file.Name(), ErrNoTerminal)
		}
	}
	return &Terminal{in: in, out: out, input: NewInput(in), options: options}, nil
}

// Input is what the terminal sends.
func (t *Terminal) Input() *Input { return t.input }

// EndOfAll ends every mode that any of the renderers switches on.
func EndOfAll() string {
	return keysEnd + Options{Title: "-", Mouse: true, Focus: true, Paste: true}.end()
}

// Enter switches to raw mode and the alternate screen. Its content is unknown
// afterwards: invalidate the painter. Inside it does nothing.
func (t *Terminal) Enter() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.isInside {
		return nil
	}
	return t.enter()
}

// Reenter sets every mode again: the program was stopped from outside and
// continued, and others used the terminal meanwhile. Outside it does nothing.
func (t *Terminal) Reenter() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.isInside {
		return nil
	}
	return t.enter()
}

func (t *Terminal) enter() error {
	saved, err := makeRaw(t.in, t.out)
	if err != nil {
		return fmt.Errorf("set the terminal to raw mode: %w", err)
	}
	t.saved.CompareAndSwap(nil, &saved) // what was there before the program, not before this call
	t.isInside = true
	t.input.Inside(true)
	if _, err := t.out.WriteString(t.options.begin()); err != nil {
		return errors.Join(fmt.Errorf("set up the terminal: %w", err), t.leave())
	}
	if t.options.Query {
		t.input.Ask()
	}
	return nil
}

// leaveWait bounds how long Leave waits for a frame that is being written: a
// stalled line must not keep the program from ending.
const leaveWait = 500 * time.Millisecond

// Leave gives the terminal back as it was. Outside it does nothing.
func (t *Terminal) Leave() error {
	for deadline := time.Now().Add(leaveWait); !t.mu.TryLock(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			return t.restore()
		}
	}
	defer t.mu.Unlock()
	return t.leave()
}

func (t *Terminal) leave() error {
	if !t.isInside {
		return nil
	}
	t.isInside = false
	_, err := t.out.WriteString(t.options.end())
	if err != nil {
		err = fmt.Errorf("give the terminal back: %w", err)
	}
	t.input.Settle()
	if err2 := t.restore(); err2 != nil {
		err = errors.Join(err, err2)
	}
	return err
}

func (t *Terminal) restore() error {
	defer t.input.Inside(false)
	saved := t.saved.Load()
	if saved == nil {
		return nil
	}
	if err := restore(t.in, t.out, *saved); err != nil {
		return fmt.Errorf("restore the terminal's mode: %w", err)
	}
	return nil
}

// Anew drops what is on its way to the terminal, and sets every mode again.
func (t *Terminal) Anew() error {
	if err := tty.Discard(int(t.out.Fd())); err != nil {
		return err //nolint:wrapcheck // nobody is told
	}
	return t.Reenter()
}

// Write writes a frame; outside it fails with ErrLeft.
func (t *Terminal) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.isInside {
		return 0, ErrLeft
	}
	return t.out.Write(p)
}

// Size returns the width and height in cells.
func (t *Terminal) Size() (w, h int, err error) {
	w, h, err = term.GetSize(int(t.out.Fd()))
	if err != nil {
		return 0, 0, fmt.Errorf("ask for the terminal's size: %w", err)
	}
	return w, h, nil
}

// Lend gives the terminal back while something else uses it, and enters again: in whatever
// mode that left it, Leave gives it back as it was at first. It blocks meanwhile;
// invalidate the painter and ask for the size afterwards.
func (t *Terminal) Lend(to func() error) error {
	if err := t.Leave(); err != nil {
		return err
	}
	err := to()
	t.mu.Lock()
	defer t.mu.Unlock()
	return errors.Join(err, t.enter())
}

// StopJob stops the job as ctrl+z does, and returns when it is continued.
func StopJob() error {
	if !canSuspend {
		return fmt.Errorf("suspend: %w", ErrNoSuspend)
	}
	stopJob()
	return nil
}

// Event is something that happened to the terminal outside its input.
type Event uint8

const (
	// Resized asks for the new Size.
	Resized Event = iota
	// Continued says that the program was stopped and runs again: Reenter,
	// invalidate the painter, ask for the size.
	Continued
)
