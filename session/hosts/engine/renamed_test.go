package engine

import (
	"math"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/engine/prom"
	"perfdeck/session/system/failure"
)

// Metrics that an exporter renamed are the same counters by either name, and one that a host
// has by both counts once.
func TestRenamedMetrics(t *testing.T) {
	now := time.Now()
	p := &planted{now: now}
	for i := range 2 {
		at, grown := now.Add(time.Duration(i-1)*15*time.Second), float64(i)*15
		for host, generations := range map[string][]bool{"old": {false}, "new": {true}, "both": {true, false}} {
			add := func(v float64, labels ...string) { p.add(at, v, append(labels, "instance", host+":9182")...) }
			node := func(v float64, labels ...string) { p.add(at, v, append(labels, "instance", "n"+host+":9100")...) }
			add(1, "windows_os_info")
			node(1, "node_uname_info")
			for _, isNew := range generations {
				if isNew {
					add(140, "windows_system_processes")
					add(8e9, "windows_memory_physical_total_bytes")
					add(float64(now.Unix()-86400), "windows_system_boot_time_timestamp")
					add(float64(now.Unix()-86400), "windows_system_boot_time_timestamp_seconds")
					node(100+grown*3, "node_disk_reads_completed_total", "device", "sda")
					node(100+grown*2, "node_disk_writes_completed_total", "device", "sda")
					node(5+grown*0.25, "node_cpu_seconds_total", "cpu", "1", "mode", "user")
					node(5+grown*0.1, "node_disk_io_time_seconds_total", "device", "sda")
					node(6e9, "node_memory_MemAvailable_bytes")
				} else {
					add(140, "windows_os_processes")
					add(8e9, "windows_cs_physical_memory_bytes")
					add(float64(now.Unix()-86400), "windows_system_system_up_time")
					node(100+grown*3, "node_disk_reads_completed", "device", "sda")
					node(100+grown*2, "node_disk_writes_completed", "device", "sda")
					node(5+grown*0.25, "node_cpu", "cpu", "cpu1", "mode", "user")
					node(5000+grown*100, "node_disk_io_time_ms", "device", "sda")
					node(6e9, "node_memory_MemAvailable")
				}
			}
		}
	}
	h := hub(t, p)
	for _, host := range []string{"old", "new", "both"} {
		for _, c := range []struct {
			of, set, counter, instance string
			want                       float64
		}{
			{host, "System", "Processes", "", 140},
			{host, "Memory", "Physical Bytes", "", 8e9},
			{host, "System", "System Up Time", "", 86400},
			{"n" + host, "PhysicalDisk", "Disk Transfers/sec", "sda", 5},
			{"n" + host, "PhysicalDisk", "% Disk Time", "sda", 10},
			{"n" + host, "Processor Information", "% User Time", "0,1", 25},
			{"n" + host, "Memory", "Available Bytes", "", 6e9},
		} {
			_, q := opened(t, h, c.of, c.set, c.counter)
			var b session.Batch
			if err := q.Collect(t.Context(), &b); err != nil {
				t.Errorf("%+v: %v", c, err)
				continue
			}
			if f, ok := value(&b.Sets[0], c.instance).Float(); !ok || math.Abs(f-c.want) > 1+c.want*1e-6 {
				t.Errorf("%+v: %v", c, value(&b.Sets[0], c.instance))
			}
		}
	}
	for _, name := range []string{"new:9182", "NOLD:9100"} {
		_, err := h.Named(t.Context(), name)
		if want := "#" + strings.ToLower(name[:strings.IndexByte(name, ':')]); err == nil || !strings.HasSuffix(failure.Hint(err), want) {
			t.Errorf("%s: %v, %q", name, err, failure.Hint(err))
		}
	}
}

// A counterset of a feed comes back by its own names where its manifest is known.
func TestFedSetsComeBack(t *testing.T) {
	fed := &session.Counterset{GUID: "{1}", Name: "App Queues", Instances: session.MultipleInstances, Counters: []session.Counter{
		{ID: 1, Name: "Depth", Type: cooker.CounterLargeRawCount, Companions: session.Companions{BaseID: session.NoID}},
		{ID: 2, Name: "Jobs/sec", Type: cooker.CounterBulkCount, Companions: session.Companions{BaseID: session.NoID}, Quantity: cooker.Quantity{Kind: cooker.PerSecond}},
	}}
	names := prom.NamesOf(fed)
	now := time.Now()
	p := &planted{now: now}
	for i := range 2 {
		at := now.Add(time.Duration(i-1) * 15 * time.Second)
		p.add(at, 1, "perfdeck_host_up", "host", "a")
		p.add(at, 12, names[0].Cooked.Name, "host", "a", "name", "mail")
		p.add(at, 2.5, names[1].Cooked.Name, "host", "a", "name", "mail")
	}
	plain := hub(t, p)
	h := NewHub(plain.engine, plain.run, fed)
	for counter, want := range map[string]float64{"Depth": 12, "Jobs/sec": 2.5} {
		_, q := opened(t, h, "a", "App Queues", counter)
		var b session.Batch
		if err := q.Collect(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		if f, ok := value(&b.Sets[0], "mail").Float(); !ok || f != want {
			t.Errorf("%s: %v", counter, value(&b.Sets[0], "mail"))
		}
	}
}
