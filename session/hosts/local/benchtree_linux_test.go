package local

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// largerMachine has 8 CPUs, 10 disks of two partitions, 10 interfaces and 100
// processes. Numbers are as long as those of a machine that has been up for weeks.
func largerMachine() map[string]string {
	files := map[string]string{
		"proc/loadavg":                  "1.25 0.75 0.50 2/1234 567890\n",
		"proc/sys/fs/file-nr":           "12345\t0\t9223372036854775807\n",
		"proc/pressure/cpu":             "some avg10=1.50 avg60=0.25 avg300=10.00 total=123456789012\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n",
		"proc/net/dev":                  netDev("lo", "eth0", "eth1", "eth2", "eth3", "bond0", "bond0.10", "docker0", "veth1234", "veth5678"),
		"proc/meminfo":                  keyLines("%-16s %12d kB\n", 57, memKeys, ":"),
		"proc/vmstat":                   keyLines("%s %d\n", 200, vmKeys, ""),
		"proc/net/snmp6":                keyLines("%-32s\t%d\n", 90, []string{"Ip6InReceives", "Ip6OutRequests", "Udp6InDatagrams"}, ""),
		"proc/net/snmp":                 "Tcp: RtoAlgorithm RtoMin RtoMax MaxConn ActiveOpens PassiveOpens AttemptFails EstabResets CurrEstab InSegs OutSegs RetransSegs InErrs OutRsts\nTcp: 1 200 120000 -1 1234567 234567 12345 2345 123 1234567890 2345678901 123456 12 23456\nUdp: InDatagrams NoPorts InErrors OutDatagrams\nUdp: 123456789 12345 12 123456780\nIp: Forwarding DefaultTTL InReceives InHdrErrors InAddrErrors ForwDatagrams InUnknownProtos InDiscards InDelivers OutRequests\nIp: 1 64 1234567890 0 123 456789 0 0 1234567000 1234560000\n",
		"proc/pressure/io":              "some avg10=0.00 avg60=0.00 avg300=0.00 total=1234567890\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=123456789\n",
		"proc/pressure/memory":          "some avg10=0.00 avg60=0.00 avg300=0.00 total=12345678\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=1234567\n",
		"proc/sys/vm/overcommit_memory": "0\n",
	}
	var stat, disks strings.Builder
	stat.WriteString("cpu  1 2 3 4 5 6 7 8 9 10\n")
	for i := range 8 {
		fmt.Fprintf(&stat, "cpu%d 12345678 23456 3456789 987654321 123456 0 234567 1234 0 0\n", i)
	}
	stat.WriteString("intr 12345678901" + strings.Repeat(" 0 123456", 150) + "\nctxt 23456789012\nbtime 1700000000\nprocesses 12345678\nprocs_running 3\nprocs_blocked 0\nsoftirq 9876543210 1 2 3 4 5 6 7 8 9 10\n")
	for i := range 10 {
		name := "sd" + string(rune('a'+i))
		for part, suffix := range []string{"", "1", "2"} {
			fmt.Fprintf(&disks, " %3d %7d %s%s 12345678 234567 987654321 1234567 23456789 3456789 876543210 2345678 3 3456789 4567890 1234 0 12345678 2345 345678 45678\n", 8, 16*i+part, name, suffix)
		}
		files["sys/block/"+name+"/device/vendor"], files["sys/block/"+name+"/size"] = "x", "1000215216\n"
	}
	files["proc/stat"], files["proc/diskstats"] = stat.String(), disks.String()
	for i, name := range []string{"lo", "eth0", "eth1", "eth2", "eth3", "bond0", "bond0.10", "docker0", "veth1234", "veth5678"} {
		files["sys/class/net/"+name+"/ifindex"] = decimal(i+1) + "\n"
		files["sys/class/net/"+name+"/statistics/rx_nohandler"] = "123\n"
	}
	for pid := 100; pid < 200; pid++ {
		files[fmt.Sprintf("proc/%d/stat", pid)] = statLine(pid, "daemon", 12345, 100+pid)
	}
	return files
}

// keyLines are lines of keys that are known, and of others up to a number.
func keyLines(format string, lines int, known []string, end string) string {
	var b strings.Builder
	for i := range lines {
		key := "something_" + decimal(i)
		if at := i * len(known) / lines; at*lines/len(known) == i || i == 0 {
			key = known[at]
		}
		fmt.Fprintf(&b, format, key+end, 123456789+i)
	}
	return b.String()
}

// BenchmarkOtherSetsOfLargerMachine reads the sets of BenchmarkOtherSets from
// recorded files: it has our work for 8 CPUs, 10 disks, 10 interfaces, and not
// the kernel's, for files of a file system cost less than those of procfs.
func BenchmarkOtherSetsOfLargerMachine(b *testing.B) {
	dir := b.TempDir()
	for name, text := range largerMachine() {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	benchCollect(b, Options{Proc: filepath.Join(dir, "proc"), Sys: filepath.Join(dir, "sys"), Run: filepath.Join(dir, "run")}, lightSets)
}
