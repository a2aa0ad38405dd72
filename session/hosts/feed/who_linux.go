package feed

import (
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"perfdeck/session/system/osfile"
)

const mostProc = 1 << 20 // bytes of a file of proc(5)

// listener is the process that listens on the other end of a socket: unix(7), SO_PEERCRED. 0: nobody knows.
func listener(c net.Conn) (pid int) {
	s, ok := c.(syscall.Conn)
	if !ok {
		return 0
	}
	raw, err := s.SyscallConn()
	if err != nil {
		return 0
	}
	_ = raw.Control(func(fd uintptr) {
		if peer, err := unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED); err == nil {
			pid = int(peer.Pid)
		}
	})
	return pid
}

// locker is the process that has a lock on a whole file: proc_locks(5). 0: nobody knows.
func locker(f *os.File) (pid int) {
	info, err := f.Stat()
	if err != nil {
		return 0
	}
	of, ok := info.Sys().(*syscall.Stat_t)
	text, err := osfile.ReadPlain("/proc/locks", mostProc)
	if !ok || err != nil {
		return 0
	}
	file := fmt.Sprintf("%02x:%02x:%d", unix.Major(of.Dev), unix.Minor(of.Dev), of.Ino)
	for line := range strings.Lines(string(text)) {
		if words := strings.Fields(line); len(words) > 5 && words[1] == "FLOCK" && words[5] == file {
			pid, _ = strconv.Atoi(words[4])
		}
	}
	return pid
}

// nameOf is the name of a process: proc_pid_comm(5). Empty: nobody knows.
func nameOf(pid int) string {
	name, _ := osfile.ReadPlain(fmt.Sprintf("/proc/%d/comm", pid), mostProc)
	return strings.TrimSpace(string(name))
}
