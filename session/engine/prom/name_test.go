package prom_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/engine/prom"
	"perfdeck/session/hosts/fake"
	"perfdeck/session/text/printable"
)

func counter(name string, t cooker.CounterType) session.Counter {
	return session.Counter{Name: name, Type: t, Quantity: cooker.QuantityIn(t, "", name)}
}

// The names of counters as they are, of base units, of windows_exporter where it has one
// for just this number, and apart where they would be the same.
func TestNames(t *testing.T) {
	several := session.MultipleInstances
	for _, c := range []struct {
		set                string
		instances          session.InstanceType
		counters           []session.Counter
		cooked, raw, bases string
	}{
		{"Memory", 0, []session.Counter{counter("Available Bytes", cooker.CounterLargeRawCount), counter("Available MBytes", cooker.CounterLargeRawCount), counter("Available KBytes", cooker.CounterLargeRawCount), counter("Pages/sec", cooker.CounterCounter)},
			"windows_memory_available_bytes perfdeck_memory_available_mbytes_bytes perfdeck_memory_available_kbytes_bytes perfdeck_memory_pages_per_second",
			"windows_memory_available_bytes perfdeck_memory_available_mbytes_bytes perfdeck_memory_available_kbytes_bytes windows_memory_swap_page_operations_total", "   "},
		{"Processor Information", several, []session.Counter{counter("% Processor Time", cooker.Timer100nsInv), counter("% User Time", cooker.Timer100ns)},
			"perfdeck_processor_information_processor_time_ratio perfdeck_processor_information_user_time_ratio",
			"perfdeck_processor_information_processor_time_seconds_total windows_cpu_time_total", " "},
		{"PhysicalDisk", several, []session.Counter{counter("Avg. Disk sec/Read", cooker.AverageTimer), counter("Avg. Disk Bytes/Read", cooker.AverageBulk), counter("Disk Read Bytes/sec", cooker.CounterBulkCount), counter("% Idle Time", cooker.Precision100nsTimer), counter("Avg. Disk Queue Length", cooker.Counter100nsQueueLen)},
			"perfdeck_physicaldisk_avg_disk_read_seconds perfdeck_physicaldisk_avg_disk_read_bytes perfdeck_physicaldisk_disk_read_bytes_per_second perfdeck_physicaldisk_idle_time_ratio perfdeck_physicaldisk_avg_disk_queue_length",
			"windows_physical_disk_read_latency_seconds_total perfdeck_physicaldisk_avg_disk_read_bytes_total windows_physical_disk_read_bytes_total windows_physical_disk_idle_seconds_total perfdeck_physicaldisk_avg_disk_queue_length_seconds_total",
			"perfdeck_physicaldisk_avg_disk_read_seconds_base_total perfdeck_physicaldisk_avg_disk_read_bytes_base_total  perfdeck_physicaldisk_idle_time_base_ticks_total "},
		{"LogicalDisk", several, []session.Counter{counter("% Free Space", cooker.RawFraction), counter("Free Megabytes", cooker.CounterRawCount)},
			"perfdeck_logicaldisk_free_space_ratio windows_logical_disk_free_bytes",
			"perfdeck_logicaldisk_free_space_ratio_part windows_logical_disk_free_bytes", "perfdeck_logicaldisk_free_space_ratio_base "},
		{"HTTP Storage", several, []session.Counter{counter("Avg. microsec/Read", cooker.AverageBulk), counter("Batches >=000001ms & <000002ms", cooker.CounterLargeRawCount)},
			"perfdeck_http_storage_avg_microsec_read_seconds perfdeck_http_storage_batches_000001ms_and_000002ms", "perfdeck_http_storage_avg_microsec_read_total perfdeck_http_storage_batches_000001ms_and_000002ms",
			"perfdeck_http_storage_avg_microsec_read_seconds_base_total "},
		{"System", 0, []session.Counter{counter("System Up Time", cooker.ElapsedTime)}, "perfdeck_system_system_up_time_seconds", "perfdeck_system_system_up_time_start_ticks", ""},
		{"My Set", 0, []session.Counter{counter("Read-Things", cooker.CounterLargeRawCount), counter("Read Things", cooker.CounterLargeRawCount), counter("内存", cooker.CounterRawCount), counter("Mode", cooker.CounterText), counter("Things", cooker.CounterDelta), counter("Things/sec", cooker.CounterCounter), counter("#&%", cooker.CounterRawCount)},
			"perfdeck_my_set_read_things_0 perfdeck_my_set_read_things_1 perfdeck_my_set_u5185_u5b58 perfdeck_my_set_mode_info perfdeck_my_set_things perfdeck_my_set_things_per_second perfdeck_my_set_number_and_percent",
			"perfdeck_my_set_read_things_0 perfdeck_my_set_read_things_1 perfdeck_my_set_u5185_u5b58  perfdeck_my_set_things_total perfdeck_my_set_things_per_second_total perfdeck_my_set_number_and_percent", "      "},
	} {
		for i := range c.counters {
			c.counters[i].ID = uint32(i)
		}
		var cooked, raw, bases []string
		for _, n := range prom.NamesOf(&session.Counterset{Name: c.set, Instances: c.instances, Counters: c.counters}) {
			cooked, raw, bases = append(cooked, n.Cooked.Name), append(raw, n.Raw.Name), append(bases, n.Base.Name)
		}
		for got, want := range map[string]string{strings.Join(cooked, " "): c.cooked, strings.Join(raw, " "): c.raw, strings.Join(bases, " "): c.bases} {
			if got != want {
				t.Errorf("%s:\n%s\nwant\n%s", c.set, got, want)
			}
		}
	}
}

var metricName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// Over all that the hosts of the demo have, names are of the format, and no two counters
// have a metric and labels in common.
func TestNamesDiffer(t *testing.T) {
	seen := 0
	for _, h := range fake.Demo(session.NewSystemClock()) {
		cat := h.Source.(*fake.Source).Offer()
		taken := map[string]string{}
		kinds := map[string]bool{}
		for _, set := range cat.Sets {
			names := prom.NamesOf(set)
			for i := range names {
				n := &names[i]
				instance := &session.Instance{Key: session.InstanceKey{Name: set.Name}}
				labels := string(n.AppendLabels(nil, h.Name, instance))
				own := fmt.Sprintf("%s %d", set.Name, i)
				for _, m := range []prom.Metric{n.Cooked, n.Raw, n.Base} {
					if m.Name == "" {
						continue
					}
					seen++
					if other, ok := taken[m.Name+labels]; ok && other != own {
						t.Errorf("%s is %s and %s", m.Name+labels, other, own)
					}
					if grows, ok := kinds[m.Name]; ok && grows != m.Grows || !metricName.MatchString(m.Name) || m.Scale == 0 {
						t.Errorf("%s: %+v", own, m)
					}
					taken[m.Name+labels], kinds[m.Name] = own, m.Grows
				}
			}
		}
	}
	if seen < 200 {
		t.Errorf("%d metrics", seen)
	}
}

// Labels of hostile names are one line, steer no terminal and stay different; none is
// called instance or job.
func TestLabels(t *testing.T) {
	set := &session.Counterset{Name: "Process", Instances: session.MultipleInstances, Counters: []session.Counter{counter("Working Set", cooker.CounterLargeRawCount), counter("Thread Count", cooker.CounterRawCount)}}
	n := &prom.NamesOf(set)[0]
	seen := map[string]bool{}
	for _, name := range []string{"a\"b\\c\nd", "a\x1b[2J", "a\x1b[3J", "\u202e", "\xff\xfe", "{}=\"", ""} {
		got := string(n.AppendLabels(nil, "SRV\n1", &session.Instance{Key: session.InstanceKey{Name: name, Parent: "p\""}}))
		if printable.Text(got) != got || strings.ContainsAny(got, "\n") || seen[got] {
			t.Errorf("%q: %q", name, got)
		}
		seen[got] = true
	}
	got := string(n.AppendLabels(nil, "SRV", &session.Instance{Key: session.InstanceKey{Name: "svchost"}, Index: 3, Number: 42}))
	if want := `{host="SRV",process="svchost",process_id="42"`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if n.Instance == "instance" || n.Instance == "job" {
		t.Error(n.Instance)
	}
}

// A raw value goes out in base units, a clock less its offset: exactly.
func TestRaw(t *testing.T) {
	set := &session.Counterset{Name: "CPU", Counters: []session.Counter{counter("% Busy", cooker.Timer100ns), counter("KBytes/sec", cooker.CounterBulkCount), counter("Age", cooker.ElapsedTime), counter("Load", cooker.CounterRawCount)}}
	names := prom.NamesOf(set)
	now := uint64(time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC).Unix()+11_644_473_600) * 1e7
	clocks := &cooker.Clocks{PerfTime: 1<<60 + 7, PerfFreqHz: 3_000_000_000, Time100ns: now + 1, ObjTime: now + 1, ObjFreqHz: 1e7}
	var e prom.Exposition
	var buf []byte
	for i, r := range []cooker.Reading{{Raw: 15_000_000}, {Raw: 1<<32 + 3, Size: 4}, {Raw: now - 5}, {Raw: 9}} {
		buf = e.AddRaw(&names[i], names[i].AppendLabels(nil, "h", nil), &r, clocks, buf)
	}
	e.AddRaw(&names[2], []byte("{none"), &cooker.Reading{}, clocks, buf) // no start
	for _, which := range []cooker.Clock{cooker.ClockPerf, cooker.Clock100ns, cooker.ClockObject} {
		e.AddClock("h", set, clocks, which)
	}
	got := string(e.Append(nil))
	for _, want := range []string{
		"# TYPE perfdeck_cpu_busy_seconds_total counter\n", `perfdeck_cpu_busy_seconds_total{host="h"} 1.5` + "\n",
		`_bytes_total{host="h"} 3072` + "\n", `perfdeck_cpu_age_start_ticks{host="h"} ` + fmt.Sprint(now-5-prom.ClockOffset) + "\n",
		`clock="performance"} ` + fmt.Sprint((1<<60+7)%(1<<53)) + "\n", `clock="performance"} 3000000000` + "\n",
		`clock="system"} ` + fmt.Sprint(now+1-prom.ClockOffset) + "\n", `clock="object"} ` + fmt.Sprint(now+1-prom.ClockOffset) + "\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "{none") || strings.Contains(got, "load") {
		t.Error(got)
	}
}

// Services of Windows have the series of windows_exporter beside ours, of others ours alone.
func TestStatesOfServices(t *testing.T) {
	set := &session.Counterset{Name: "Service", Instances: session.MultipleInstances, Counters: []session.Counter{{
		Name: "State", Type: cooker.CounterRawCount, Quantity: cooker.QuantityIn(cooker.CounterRawCount, "Service", "State"),
	}}}
	for protocol, want := range map[string]int{"": 0, "MS-SCMR": 8} {
		set.Protocol = protocol
		n := prom.NamesOf(set)[0]
		var e prom.Exposition
		e.AddCooked(&n, n.AppendLabels(nil, "web01", &session.Instance{Key: session.InstanceKey{Name: "Dhcp"}}), cooker.NumberValue(4), 0)
		text := string(e.Append(nil))
		if !strings.Contains(text, `perfdeck_service_state{host="web01",name="Dhcp"} 4`) || strings.Count(text, "\nwindows_service_state{") != want {
			t.Errorf("%q:\n%s", protocol, text)
		}
		if want > 0 && (!strings.Contains(text, `windows_service_state{host="web01",name="Dhcp",state="running"} 1`) || strings.Count(text, "\"} 1\n") != 1) {
			t.Errorf("%q:\n%s", protocol, text)
		}
	}
}
