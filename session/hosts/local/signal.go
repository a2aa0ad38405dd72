package local

import (
	"errors"
	"fmt"
	"slices"

	"perfdeck/session"
	"perfdeck/session/text/printable"
)

// Why a signal was not sent.
var (
	ErrProcessGone  = errors.New("the process is gone")
	ErrProcessOther = errors.New("the process runs another program now")
	errNoIdentity   = errors.New("what was read of the process does not tell it from another of its number")
	errNoSuchSignal = errors.New("no such signal")
)

// SignalNames are the signals that can be sent to processes of this computer,
// the gentlest first; none where Signal does not work.
func SignalNames() []string {
	names := make([]string, len(signals))
	for i, s := range signals {
		names[i] = s.name
	}
	return names
}

// Signal sends a signal, by a name of SignalNames, to the process of an
// instance of Process: to that one or to none, even if its number belongs to
// another by now, or to itself under another name. Errors tell what was tried;
// ErrProcessGone and ErrProcessOther are among them.
func Signal(key session.InstanceKey, name string) error {
	pid, start := pidOf(key.ID), key.ID>>pidBits
	i := slices.IndexFunc(signals, func(s signalRow) bool { return s.name == name })
	err := errNoSuchSignal
	switch {
	case i < 0:
	case pid == 0 || start == 0 && pid != 1:
		err = errNoIdentity
	default:
		err = sendSignal(pid, start, key.Name, signals[i].number)
	}
	if err != nil {
		return fmt.Errorf("send %s to %s (%d): %w", name, printable.Text(key.Name), pid, err)
	}
	return nil
}
