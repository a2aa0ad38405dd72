package local

import (
	"strings"
	"testing"
	"unicode/utf8"

	"perfdeck/paths"
)

func FuzzProcStat(f *testing.F) {
	f.Add([]byte("42 (a b) S 1 2 3 0 -1 4 5 6 7 8 9 10 11 12 20 0 1 0 500 8 9"))
	f.Add([]byte("1 (a) b\n) S"))
	f.Add([]byte(")("))
	f.Fuzz(func(t *testing.T, b []byte) {
		var s procStat
		comm, ok := s.parse(b)
		if ok && !strings.Contains(string(b), "("+string(comm)+")") {
			t.Errorf("name %q is not in %q", comm, b)
		}
	})
}

func FuzzStatFile(f *testing.F) {
	f.Add([]byte("cpu 1\ncpu0 1 2 3\nintr 5 6\nsoftirq 9"))
	f.Add([]byte("cpu99999999999999999999 1"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var s statFile
		s.parse(b)
		for _, c := range s.cpus {
			if c.number < 0 || c.number >= maxCPUs {
				t.Errorf("CPU %d", c.number)
			}
		}
	})
}

func FuzzPerCPU(f *testing.F) {
	f.Add([]byte(" CPU0 CPU1\n 1: 2 3 x\nERR: 4\n"))
	f.Add([]byte("CPU8191 CPU0\nA: 1 1"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if sums := perCPU(b, nil); len(sums) > maxCPUs {
			t.Errorf("%d sums", len(sums))
		}
	})
}

func FuzzKeyedFiles(f *testing.F) {
	f.Add([]byte("MemTotal: 5 kB\nVmSize: 7 kB\nrchar: 4\nUid: 0 1000 0 0\nprocessor : 0\ncpu MHz : 5.5\n0::/a\n1.25 2.50 3.75 1/2 3\n"))
	f.Add([]byte("\x00\n:\n: :\n/"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var v values
		v.parse(memKeys, b)
		var s procStatus
		s.parse(b)
		var io procIO
		io.parse(b)
		var l loadavg
		l.parse(b)
		memoryPages(b)
		cpuMHz(b)
		containerName(cgroupPath(b))
		auxiliary(b, atClockTicks)
		direntNumbers(nil, b)
	})
}

func FuzzCPUList(f *testing.F) {
	f.Add([]byte("0-3,8,10-11\n"))
	f.Add([]byte("0-18446744073709551615"))
	f.Add([]byte("5-1,-"))
	f.Fuzz(func(t *testing.T, b []byte) {
		cpuList(b, func(cpu int) {
			if cpu < 0 || cpu >= 1<<16 {
				t.Fatalf("CPU %d", cpu)
			}
		})
	})
}

func FuzzNames(f *testing.F) {
	f.Add([]byte("a/b(c)#1*\\"), []byte("/usr/bin/a\x00b"))
	f.Add([]byte("fifteen-bytes-x"), []byte("fifteen-bytes-xyz w"))
	f.Fuzz(func(t *testing.T, name, commandLine []byte) {
		out := paths.Instance(string(fullName(workerName(name), commandLine)))
		if strings.ContainsAny(out, "()#/\\*") || !utf8.ValidString(out) || !utf8.ValidString(commandText(commandLine)) {
			t.Errorf("%q became %q", name, out)
		}
	})
}

func TestCPUList(t *testing.T) {
	var got []int
	cpuList([]byte("0-2,8,10-11\n"), func(cpu int) { got = append(got, cpu) })
	if len(got) != 6 || got[2] != 2 || got[3] != 8 || got[5] != 11 {
		t.Errorf("list %v", got)
	}
}

func TestContainerName(t *testing.T) {
	id := strings.Repeat("0123456789abcdef", 4)
	for path, want := range map[string]string{
		"/docker/" + id:                                  "0123456789ab",
		"/system.slice/docker-" + id + ".scope":          "0123456789ab",
		"/machine.slice/libpod-" + id + ".scope":         "0123456789ab",
		"/kubepods/pod1/cri-containerd-" + id + ".scope": "0123456789ab",
		"/lxc.payload.web/init.scope":                    "web",
		"/lxc/web/x":                                     "web",
		"/machine.slice/machine-deb.scope":               "deb",
		"/user.slice/user-0.slice/session-1.scope":       "",
		"/": "",
		"":  "",
	} {
		if got := containerName(path); got != want {
			t.Errorf("%s is in %q, want %q", path, got, want)
		}
	}
}

func FuzzDeviceFiles(f *testing.F) {
	f.Add([]byte("8 0 sda 1 2 3 4 5 6 7 8 9 10 11"))
	f.Add([]byte("22 1 8:1 / /a\\040b rw - ext4 /dev/sda1 rw\n"))
	f.Add([]byte("eth0: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16"))
	f.Add([]byte("Tcp: A B\nTcp: 1 2\n"))
	f.Add([]byte("some avg10=1.5 total=7\nfull total="))
	f.Add([]byte("100 200\n8:0 rbytes=5\nusage_usec 7"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var d diskLine
		if d.parse(b) && (d.columns > diskColumns || len(d.name) == 0) {
			t.Errorf("disk %+v", d)
		}
		for _, m := range volumes(b) {
			if name := volumeName(m.point); name != "/" && strings.ContainsAny(name, "()#/\\*") {
				t.Errorf("volume %q", name)
			}
		}
		networkLine(b)
		swapLine(b)
		var p protocolCounts
		p.parseSNMP(b)
		p.parseSNMP6(b)
		p.parseSNMP(b)
		if len(p.names) > maxProtocolCounts || len(p.index) > len(p.n) {
			t.Errorf("%d counts", len(p.names))
		}
		establishedTCP(b)
		contextSwitches(b)
		signed(b)
		var s pressure
		s.parse(b)
		var c controlGroup
		c.parseCPUStat(b)
		c.parseCPUMax(b)
		c.parseIOStat(b)
	})
}
