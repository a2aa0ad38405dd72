package collector

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"perfdeck/session/system/failure"
	"perfdeck/session/system/osfile"
)

// lock keeps a second recorder from a file. It is a file beside the recording,
// locked by the system as long as its holder lives: what a dead one left is stale
// and taken over. Where the file system is shared and does not lock across
// computers the text of the file tells: a holder on another computer touches it
// all the time.
//
// That keeps others from the name, before there is a file. A file may have several
// names, by links: what it holds is locked too.
type lock struct {
	file     *os.File
	last     time.Time // when it was touched
	contents *os.File  // the recording; nil: it is not there, or cannot be locked
}

const (
	// touched is how often a holder touches its lock.
	touched = 10 * time.Second
	// staleAfter is how long a holder on another computer may be silent.
	staleAfter = 6 * touched
	// mostLockText bounds what is read of a lock.
	mostLockText = 512
)

// BusyError says that another recorder writes to a file.
type BusyError struct {
	File   string
	Holder string // a process, as far as it is known; may be empty
}

func (e *BusyError) Error() string {
	by := "another process"
	if e.Holder != "" {
		by = e.Holder
	}
	return fmt.Sprintf("record to %s: %s records to it", e.File, by)
}

// Hint says what can be done.
func (e *BusyError) Hint() string {
	return "perfdeck record --list shows recordings; record to another file, or stop the other one first"
}

// realName is where a name leads to, through symbolic links, whether or not there is a
// file.
func realName(file string) string {
	if led, err := osfile.Target(file); err == nil {
		file = led
	}
	if folder, err := filepath.EvalSymlinks(filepath.Dir(file)); err == nil {
		return filepath.Join(folder, filepath.Base(file))
	}
	return file
}

// lockName is the lock of a file.
func lockName(file string) string {
	return filepath.Join(filepath.Dir(file), "."+filepath.Base(file)+".lock")
}

// lockRecording locks a recording, by its name and as far as it is there. The error is
// *BusyError when another recorder has it.
func lockRecording(file string) (*lock, error) {
	l, err := lockNamed(lockName(realName(file)))
	if err == nil {
		err = l.own(file)
	}
	if busy, ok := errors.AsType[*BusyError](err); ok {
		busy.File = file
	}
	if err != nil {
		l.release()
		return nil, err
	}
	return l, nil
}

// own locks what a recording holds, if it is there and can be locked.
func (l *lock) own(file string) error {
	if l == nil || l.contents != nil {
		return nil
	}
	if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
		return nil //nolint:nilerr // who creates or opens it tells
	}
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	if err != nil {
		return nil //nolint:nilerr // likewise
	}
	if err := osfile.LockContents(f); err != nil {
		_ = osfile.Close(f) // another recorder of this process may have it
		if errors.Is(err, osfile.ErrLocked) {
			return &BusyError{File: file}
		}
		return nil // the file system does not lock
	}
	l.contents = f
	return nil
}

// disown ends own.
func (l *lock) disown() {
	if l != nil && l.contents != nil {
		osfile.UnlockContents(l.contents)
		l.contents = nil
	}
}

// lockNamed locks a file of this name, which it makes.
func lockNamed(name string) (*lock, error) {
	for {
		if err := osfile.NoLink(name); err != nil {
			return nil, err // who holds it writes into it
		}
		file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|osfile.NoFollow, 0o644) //nolint:gosec // others may read who records
		if err != nil {
			return nil, err
		}
		err = osfile.Lock(file)
		text := readHolder(file)
		if errors.Is(err, osfile.ErrLocked) || err == nil && isHeldElsewhere(text, file) || osfile.NoLocks(err) && text.lives() {
			_ = file.Close()
			return nil, &BusyError{File: name, Holder: text.String()}
		}
		if err != nil && !osfile.NoLocks(err) {
			_ = file.Close()
			return nil, err
		}
		if !osfile.IsNamed(file) { // its holder removed it when it ended, just now
			_ = file.Close()
			continue
		}
		l := &lock{file: file}
		if err := l.sign(); err != nil {
			l.release()
			return nil, err
		}
		return l, nil
	}
}

// isHeld tells whether anybody holds the lock of a name. It is only read.
func isHeld(name string) bool {
	file, err := os.OpenFile(name, os.O_RDONLY|osfile.NoFollow, 0)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	defer file.Close()
	err = osfile.Lock(file)
	text := readHolder(file)
	switch {
	case err == nil:
		return isHeldElsewhere(text, file)
	case errors.Is(err, osfile.ErrLocked):
		return true
	}
	return text.lives() // there are no locks
}

// sign writes who holds the lock.
func (l *lock) sign() error {
	text := holder{os.Getpid(), hostName(), bootID()}.line()
	if err := l.file.Truncate(0); err != nil {
		return err
	}
	_, err := l.file.WriteAt([]byte(text), 0)
	return err
}

// touch tells other computers, now and then, that the holder lives.
func (l *lock) touch(now time.Time) {
	if l == nil || now.Sub(l.last).Abs() < touched {
		return
	}
	l.last = now
	_ = os.Chtimes(l.file.Name(), now, now) // those who lock by the system need it not
}

// release removes the lock.
func (l *lock) release() {
	if l == nil {
		return
	}
	l.disown()
	osfile.Discard(l.file)
}

// holder is who holds a lock. The boot tells containers of one computer, whose
// names differ, from other computers.
type holder struct {
	pid        int
	host, boot string
}

func (h holder) line() string { return fmt.Sprintf("%d %s %s\n", h.pid, h.boot, h.host) }

func (h holder) String() string {
	switch {
	case h.pid == 0:
		return ""
	case h.isHere():
		return fmt.Sprintf("process %d", h.pid)
	}
	return fmt.Sprintf("process %d on %s", h.pid, h.host)
}

// isHere tells whether the holder is, or was, of this computer.
func (h holder) isHere() bool { return h.host == hostName() || h.boot == bootID() }

// lives tells whether the holder is known to be there. It is asked where the
// system does not lock.
func (h holder) lives() bool { return h.pid != 0 && (!h.isHere() || isProcess(h.pid)) }

func readHolder(file *os.File) holder {
	text, err := io.ReadAll(io.NewSectionReader(file, 0, mostLockText))
	if err != nil {
		return holder{}
	}
	words := strings.SplitN(strings.TrimSpace(string(text)), " ", 3)
	pid, err := strconv.Atoi(words[0])
	if err != nil || pid <= 0 || len(words) < 3 {
		return holder{}
	}
	return holder{pid, words[2], words[1]}
}

// isHeldElsewhere tells whether a lock that was just taken is held by a process
// of another computer.
func isHeldElsewhere(h holder, file *os.File) bool {
	if h.pid == 0 || h.isHere() {
		return false
	}
	info, err := file.Stat()
	return err == nil && time.Since(info.ModTime()) < staleAfter
}

func hostName() string {
	name, err := os.Hostname()
	if err != nil || name == "" {
		return "this"
	}
	return name
}

// bootID tells one run of a computer's system from all others; "-" where the
// system does not say (proc_sys_kernel(5)).
func bootID() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if text := strings.TrimSpace(string(id)); err == nil && text != "" {
		return text
	}
	return "-" + hostName()
}

// HoldOutput keeps recorders from a file that a user named, and that is replaced, or with
// inPlace written to, without being a recording, until release is called. It is refused while
// one records to it: the recording would be lost. From a device, a pipe and standard output
// (-) nobody needs to be kept.
func HoldOutput(name string, inPlace bool) (release func(), err error) {
	if info, err := os.Stat(name); name == "-" || err == nil && !info.Mode().IsRegular() {
		return func() {}, nil
	}
	release, err = hold(name, inPlace)
	if busy, ok := errors.AsType[*BusyError](err); ok {
		return nil, failure.WithHint(
			fmt.Errorf("write %s: %s records to it", name, cmp.Or(busy.Holder, "another process")),
			"write to another file, or end the recording first: perfdeck record --stop")
	}
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", name, err)
	}
	return release, nil
}

// hold keeps recorders from a file until release is called, which is never nil. The
// error is *BusyError when a recorder has it. Where no lock can be made, as in a
// folder that may not be written, and none is there, nobody has one.
func hold(file string, inPlace bool) (release func(), err error) {
	l, err := lockRecording(file)
	if _, busy := errors.AsType[*BusyError](err); err != nil && !busy {
		if _, none := os.Lstat(lockName(realName(file))); errors.Is(none, fs.ErrNotExist) {
			err = nil
		}
	}
	if !inPlace {
		l.disown() // Windows replaces no open file
	}
	return l.release, err
}
