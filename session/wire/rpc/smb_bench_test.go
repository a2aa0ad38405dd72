package rpc

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"perfdeck/session/system/sharedtest"
	"perfdeck/session/wire/smbtest"
)

// largeData is about 200 KB: what Process and Thread of a busy host take.
func largeData() smbtest.Performance {
	p := someData
	o := smbtest.Object{Name: "Process", Help: "about processes"}
	const processes = 1000
	for c := range 20 {
		o.Counters = append(o.Counters, smbtest.Counter{Name: fmt.Sprint("Counter ", c), Help: "help", Type: 0x00010100, Values: make([]uint64, processes)})
	}
	for i := range processes {
		o.Instances = append(o.Instances, fmt.Sprint("process", i))
	}
	p.Objects = append([]smbtest.Object{o}, p.Objects...)
	return p
}

// BenchmarkQueryValue reads performance data, sealed, from stock smbd.
func BenchmarkQueryValue(b *testing.B) {
	k := smbtest.StartKDC(b)
	o := k.Options()
	o.Performance = &someData
	s := smbtest.Start(b, o)
	r := &realm{k, s}
	encrypted := smbOptions(s)
	encrypted.Encrypt = true
	for _, v := range []struct {
		name    string
		options Options
	}{{"NTLM", smbOptions(s)}, {"Kerberos", r.options(b, nil)}, {"encrypted", encrypted}} {
		for _, size := range []string{"small", "large"} {
			b.Run(v.name+"/"+size, func(b *testing.B) {
				s.Publish(someData)
				if size == "large" {
					s.Publish(largeData())
				}
				c := dialSMB(b, v.options)
				key, _, err := c.OpenPerformanceData(b.Context())
				if err != nil {
					b.Fatal(err)
				}
				var buf []byte
				b.ReportAllocs()
				began := sharedtest.CPUTime(b)
				for b.Loop() {
					v, err := c.QueryValue(b.Context(), key, "Global", 4<<20, buf)
					if err != nil || v.Code != CodeOK {
						b.Fatal(v.Code, err)
					}
					buf = v.Data
				}
				b.SetBytes(int64(len(buf)))
				b.ReportMetric(float64((sharedtest.CPUTime(b)-began).Microseconds())/float64(b.N), "cpu-µs/op")
			})
		}
	}
}

// BenchmarkHostsOverSMB reads from 50 connections once a second each, and tells
// how much of one core that takes.
func BenchmarkHostsOverSMB(b *testing.B) {
	s := startSMB(b)
	const hosts = 50
	var clients [hosts]*Client
	var keys [hosts]Handle
	for i := range clients {
		clients[i] = dialSMB(b, smbOptions(s))
		var err error
		if keys[i], _, err = clients[i].OpenPerformanceData(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	runtime.GC()
	var buf []byte
	began, cpu := time.Now(), sharedtest.CPUTime(b)
	for b.Loop() {
		for i, c := range clients {
			v, err := c.QueryValue(b.Context(), keys[i], "Global", 1<<16, buf)
			if err != nil || v.Code != CodeOK {
				b.Fatal(v.Code, err)
			}
			buf = v.Data
			time.Sleep(time.Until(began.Add(time.Second / hosts)))
			began = began.Add(time.Second / hosts)
		}
	}
	b.ReportMetric(100*(sharedtest.CPUTime(b)-cpu).Seconds()/float64(b.N), "%core")
}
