package local

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"perfdeck/paths"
)

type signalRow struct {
	name   string
	number unix.Signal
}

var signals = []signalRow{
	{"SIGTERM", unix.SIGTERM}, {"SIGINT", unix.SIGINT}, {"SIGHUP", unix.SIGHUP}, {"SIGKILL", unix.SIGKILL},
	{"SIGSTOP", unix.SIGSTOP}, {"SIGCONT", unix.SIGCONT}, {"SIGUSR1", unix.SIGUSR1}, {"SIGUSR2", unix.SIGUSR2},
	{"SIGQUIT", unix.SIGQUIT}, {"SIGABRT", unix.SIGABRT},
}

// sendSignal holds the process of a number by pidfd_open(2), makes sure that it
// is the one that began at this time and is called so, and signals what it holds.
func sendSignal(pid uint32, start uint64, name string, signal unix.Signal) error {
	fd, err := unix.PidfdOpen(int(pid), 0)
	switch {
	case errors.Is(err, unix.ESRCH):
		return ErrProcessGone
	case errors.Is(err, unix.ENOSYS):
		return fmt.Errorf("this kernel is older than 5.3: %w", err)
	case err != nil:
		return err
	}
	defer unix.Close(fd)
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, unix.ESRCH) {
		return ErrProcessGone
	}
	if err != nil {
		return err
	}
	var stat procStat
	comm, ok := stat.parse(line)
	if !ok || stat.start != start {
		return ErrProcessGone
	}
	if !stat.kernelThread() && !isCalled(comm, name) {
		return ErrProcessOther
	}
	if err := unix.PidfdSendSignal(fd, signal, nil, 0); errors.Is(err, unix.ESRCH) {
		return ErrProcessGone
	} else if err != nil {
		return err
	}
	return nil
}

// isCalled tells whether a process whose name the kernel has as comm, cut to commBytes,
// is an instance of a name. Without a comm its number is its name.
func isCalled(comm []byte, name string) bool {
	is := paths.Instance(string(comm))
	switch {
	case len(comm) == 0:
		return true
	case len(comm) == commBytes:
		return strings.HasPrefix(name, strings.TrimRight(is, "\uFFFD"))
	}
	return name == is
}
