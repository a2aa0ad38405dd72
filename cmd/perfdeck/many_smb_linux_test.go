package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"perfdeck/session/wire/smbtest"
)

// manyObjects are those of manyScript, as a registry of performance data has
// them at a second; each moves in a way of its own.
func manyObjects(second uint64) *smbtest.Performance {
	const bulkCount, largeRawCount, timer100nsInv = 0x10410500, 0x00010100, 0x21510500 // winperf.h
	types := []uint32{bulkCount, largeRawCount, timer100nsInv}
	object := func(name string, counters, instances int) smbtest.Object {
		o := smbtest.Object{Name: name, Help: "about " + name}
		for i := range instances {
			o.Instances = append(o.Instances, fmt.Sprint("Instance ", i))
		}
		for i := range counters {
			c := smbtest.Counter{Name: fmt.Sprint(name, " ", i), Help: "help", Type: types[i%len(types)]}
			for j := range max(1, instances) {
				c.Values = append(c.Values, second*uint64(1000*i+77*j+1)+second%7*100)
			}
			o.Counters = append(o.Counters, c)
		}
		return o
	}
	return &smbtest.Performance{
		PerfTime: 123456789 + second*10_000_000, PerfFreqHz: 10_000_000, Time: time.Unix(1_700_000_000+int64(second), 0),
		Objects: []smbtest.Object{object("Memory", 25, 0), object("System", 15, 0), object("Disk", 10, 2), object("Processor", 5, 8)},
	}
}

// BenchmarkManyWindowsHosts shows 50 hosts over SMB, sealed, on a screen of
// 200x60: 100 values of each, one sample a second. All of them are one smbd. An
// iteration is a second; %CPU is of one processor, the screen's process alone:
//
//	go test -run '^$' -bench ManyWindowsHosts -benchtime 60x ./cmd/perfdeck
func BenchmarkManyWindowsHosts(b *testing.B) {
	const hosts = 50
	s := smbtest.Start(b, smbtest.Options{Performance: manyObjects(0)})
	config := filepath.Join(b.TempDir(), "config.toml")
	var text strings.Builder
	args := []string{"--history=2m", "--user=" + smbtest.User, "--config=" + config, "--group=all"}
	var names []string
	for i := range hosts {
		name := fmt.Sprintf("host%02d", i)
		names = append(names, `"`+name+`"`)
		fmt.Fprintf(&text, "[[host]]\nname = %q\naddress = %q\n", name, s.Address())
	}
	fmt.Fprintf(&text, "[groups]\nall = [%s]\n", strings.Join(names, ", "))
	password := filepath.Join(b.TempDir(), "password")
	for file, text := range map[string]string{config: text.String(), password: smbtest.Password + "\n"} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	args = append(args, "--password-file="+password)
	pid, shown := manyOnScreen(b, append(args, manyPaths...))
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(100 * time.Millisecond) {
		if text := shown(); strings.Contains(text, "50 hosts") && strings.Contains(text, " ms ") && !strings.Contains(text, "~") {
			break
		} else if time.Now().After(end) {
			b.Fatalf("some hosts do not come:\n%s", text)
		}
	}
	before, began := cpuTimeOf(b, pid), time.Now()
	beat := time.NewTicker(time.Second)
	defer beat.Stop()
	for second := uint64(1); b.Loop(); second++ {
		s.Publish(*manyObjects(second))
		<-beat.C
	}
	b.ReportMetric(100*float64(cpuTimeOf(b, pid)-before)/float64(time.Since(began)), "%CPU")
	b.ReportMetric(peakMiBOf(b, pid), "MiB-peak")
	if testing.Verbose() {
		b.Log(shown())
	}
}
