package selfcheck

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"perfdeck/session/text/english"
)

func limits() (out []Fact) {
	var files unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &files) == nil {
		out = append(out, Fact{Name: "open files", Value: strconv.FormatUint(files.Cur, 10)})
	}
	var set unix.CPUSet
	if unix.SchedGetaffinity(0, &set) == nil {
		out = append(out, Fact{Name: "processors that it may use", Value: strconv.Itoa(set.Count())})
	}
	for _, file := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		if text, err := os.ReadFile(file); err == nil {
			if n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && n < 1<<60 {
				out = append(out, Fact{Name: "memory of its control group", Value: english.Size(n)})
			}
		}
	}
	return out
}

// Capabilities, capability(7).
const (
	capDACReadSearch = 2
	capNetAdmin      = 12
	capSysPtrace     = 19
)

func rights() []Fact {
	status, _ := os.ReadFile("/proc/self/status")
	has := func(capability uint) bool { return capabilities(string(status))&(1<<capability) != 0 }
	opens := func(path string) bool {
		f, err := os.Open(path)
		if err == nil {
			_ = f.Close()
		}
		return err == nil
	}
	_, noOthers := os.Stat("/proc/1/stat")
	ptrace := "run as root, or give the program CAP_SYS_PTRACE (setcap cap_sys_ptrace+ep)"
	out := []Fact{
		right("processes of others", noOthers == nil, "/proc is mounted with hidepid: join the group that its gid= names"),
		right("I/O and private memory of processes of others", has(capSysPtrace), ptrace),
		right("names of processes that ended", has(capNetAdmin), "run as root, or give the program CAP_NET_ADMIN: without it ended processes have a sum and no names"),
		right("kernel's log", opens("/dev/kmsg"), "run as root, join the group adm or systemd-journal, or give the program CAP_SYSLOG"),
		right("files of others", has(capDACReadSearch) || os.Geteuid() == 0, "recordings and states of services are listed for root alone"),
	}
	const energy = "/sys/class/powercap/intel-rapl:0/"
	if _, err := os.Stat(energy); err == nil {
		out = append(out, right("energy counters", opens(energy+"energy_uj"), "they are root's since Linux 5.10"))
	}
	return out
}

// capabilities are those that are in force, of a process' status file.
func capabilities(status string) (set uint64) {
	_, rest, _ := strings.Cut(status, "\nCapEff:")
	line, _, _ := strings.Cut(rest, "\n")
	set, _ = strconv.ParseUint(strings.TrimSpace(line), 16, 64)
	return set
}
