package local

import (
	"slices"
	"strconv"
	"strings"

	"perfdeck/paths"
)

// toolTable is a table within a tool's lines: a header line, and rows below it
// that are as long.
type toolTable struct {
	head []string
	rows [][]string
}

// sheetWith finds the last table that has these columns.
func sheetWith(lines [][]string, columns ...string) (s toolTable) {
	for i, head := range lines {
		if slices.ContainsFunc(columns, func(c string) bool { return !slices.Contains(head, c) }) {
			continue
		}
		s = toolTable{head: head}
		for _, row := range lines[i+1:] {
			if len(row) != len(head) || slices.Contains(row, columns[0]) {
				break
			}
			s.rows = append(s.rows, row)
		}
	}
	return s
}

// number is the value in a column of a row; absent columns are 0.
func (s *toolTable) number(row []string, column string) float64 {
	i := slices.Index(s.head, column)
	if i < 0 {
		return 0
	}
	n, _ := strconv.ParseFloat(row[i], 64)
	return n
}

func (s *toolTable) sum(row []string, columns ...string) (n float64) {
	for _, c := range columns {
		n += s.number(row, c)
	}
	return n
}

// word is the text in a column of a row.
func (s *toolTable) word(row []string, column string) string {
	if i := slices.Index(s.head, column); i >= 0 {
		return row[i]
	}
	return ""
}

func counters(set, instance string, names ...string) []counterPath {
	out := make([]counterPath, len(names))
	for i, n := range names {
		out[i] = counterPath{set, instance, n}
	}
	return out
}

// rate is one that agrees within a hundredth, and one event at either end.
func rate(what string, theirs, factor, event float64, ours []counterPath) expectation {
	return expectation{what, theirs, ours, factor, 0.01, 0.02 + 2*event/watched.Seconds()}
}

// percent is a share of time that agrees within so many points.
func percent(what string, theirs, factor, points float64, ours []counterPath) expectation {
	return expectation{what, theirs, ours, factor, 0, points}
}

func (w *window) mpstat(lines [][]string) (out []expectation) {
	s := sheetWith(lines, "CPU", "%usr", "%idle")
	for _, row := range s.rows {
		cpu := s.word(row, "CPU")
		name := totalName
		if cpu != "all" {
			name = "0," + cpu
			if !slices.Contains(w.paths, counterPath{informationSet, name, "% Idle Time"}) {
				continue // of another node
			}
		}
		for counter, columns := range map[string][]string{
			"% User Time": {"%usr", "%nice", "%guest", "%gnice"}, "% Privileged Time": {"%sys", "%irq", "%soft"},
			"% Idle Time": {"%idle", "%iowait"}, "% I/O Wait": {"%iowait"}, "% Steal": {"%steal"}, "% DPC Time": {"%soft"}, "% Nice Time": {"%nice", "%gnice"},
		} {
			out = append(out, percent(cpu+" "+counter, s.sum(row, columns...), 1, 2, counters(informationSet, name, counter)))
		}
		busy := s.sum(row, "%usr", "%nice", "%guest", "%gnice", "%sys", "%irq", "%soft", "%steal")
		out = append(out, percent(cpu+" busy", busy, 1, 2, counters(informationSet, name, "% Processor Time")))
	}
	return out
}

func (w *window) iostat(lines [][]string) (out []expectation) {
	const request = 64 // KiB, of the load
	s := sheetWith(lines, "Device", "r/s", "w/s")
	for _, row := range s.rows {
		disk := s.word(row, "Device")
		of := func(names ...string) []counterPath { return counters("PhysicalDisk", disk, names...) }
		if !slices.Contains(w.paths, of("Disk Reads/sec")[0]) {
			continue // no disk
		}
		// Its queue has discards and flushes too.
		others := (s.number(row, "d/s")*s.number(row, "d_await") + s.number(row, "f/s")*s.number(row, "f_await")) / 1000
		out = append(out,
			rate("reads", s.number(row, "r/s"), 1, 1, of("Disk Reads/sec")),
			rate("writes", s.number(row, "w/s"), 1, 1, of("Disk Writes/sec")),
			rate("KiB read", s.number(row, "rkB/s"), 1.0/1024, request, of("Disk Read Bytes/sec")),
			rate("KiB written", s.number(row, "wkB/s"), 1.0/1024, request, of("Disk Write Bytes/sec")),
			rate("merges", s.sum(row, "rrqm/s", "wrqm/s"), 1, 1, of("Disk Merges/sec")),
			rate("flushes", s.number(row, "f/s"), 1, 1, of("Flushes/sec")),
			expectation{"queue", s.number(row, "aqu-sz") - others, of("Avg. Disk Queue Length"), 1, 0.05, 0.02},
			percent("busy", 100-s.number(row, "%util"), 1, 1, of("% Idle Time")),
		)
		if s.number(row, "w/s") > 10 {
			out = append(out,
				expectation{"ms per write", s.number(row, "w_await"), of("Avg. Disk sec/Write"), 1000, 0.05, 0.02},
				expectation{"KiB per write", s.number(row, "wareq-sz"), of("Avg. Disk Bytes/Write"), 1.0 / 1024, 0.02, 0.02})
		}
	}
	return out
}

// sar's own sum of interrupts is left out: it adds up all rows of
// /proc/interrupts, and so has TLB shootdowns twice.
func (w *window) sar(lines [][]string) (out []expectation) {
	single := func(set string, columns map[string]string, event float64) {
		for column, counter := range columns {
			s := sheetWith(lines, column)
			if len(s.rows) > 0 {
				factor := 1.0
				if strings.HasPrefix(counter, "Block") {
					factor = 1.0 / 1024
				}
				out = append(out, rate(column, s.number(s.rows[len(s.rows)-1], column), factor, event, counters(set, "", counter)))
			}
		}
	}
	single("System", map[string]string{"cswch/s": "Context Switches/sec"}, 20)
	single("System", map[string]string{"proc/s": "Forks/sec"}, 4)
	single("Memory", map[string]string{"fault/s": "Page Faults/sec"}, 300)
	single("Memory", map[string]string{"majflt/s": "Page Reads/sec"}, 1)
	single("Memory", map[string]string{"pgpgin/s": "Block Bytes In/sec", "pgpgout/s": "Block Bytes Out/sec"}, 64)
	single("IPv4", map[string]string{"irec/s": "Datagrams Received/sec", "orq/s": "Datagrams Sent/sec", "idel/s": "Datagrams Received Delivered/sec"}, 4)
	single("TCPv4", map[string]string{"iseg/s": "Segments Received/sec", "oseg/s": "Segments Sent/sec"}, 4)
	single("UDPv4", map[string]string{"idgm/s": "Datagrams Received/sec", "odgm/s": "Datagrams Sent/sec"}, 2)
	s := sheetWith(lines, "IFACE", "rxpck/s")
	for _, row := range s.rows {
		of := func(name string) []counterPath {
			return counters("Network Interface", paths.Instance(s.word(row, "IFACE")), name)
		}
		out = append(out,
			rate(s.word(row, "IFACE")+" packets in", s.number(row, "rxpck/s"), 1, 4, of("Packets Received/sec")),
			rate(s.word(row, "IFACE")+" packets out", s.number(row, "txpck/s"), 1, 4, of("Packets Sent/sec")),
			rate(s.word(row, "IFACE")+" KiB in", s.number(row, "rxkB/s"), 1.0/1024, 8, of("Bytes Received/sec")),
			rate(s.word(row, "IFACE")+" KiB out", s.number(row, "txkB/s"), 1.0/1024, 8, of("Bytes Sent/sec")))
	}
	return out
}

func (w *window) pidstat(lines [][]string) (out []expectation) {
	for i := range lines {
		if len(lines[i]) > 0 && lines[i][0] == "#" {
			lines[i] = lines[i][1:]
		}
	}
	s := sheetWith(lines, "PID", "%CPU", "minflt/s")
	for _, row := range s.rows {
		pid := "pid " + s.word(row, "PID")
		of := func(name string) []counterPath { return counters("Process", pid, name) }
		out = append(out,
			percent(pid+" CPU", s.number(row, "%CPU"), 1, 2, of("% Processor Time")),
			percent(pid+" user", s.sum(row, "%usr", "%guest"), 1, 2, of("% User Time")),
			percent(pid+" system", s.number(row, "%system"), 1, 2, of("% Privileged Time")),
			rate(pid+" faults", s.sum(row, "minflt/s", "majflt/s"), 1, 300, of("Page Faults/sec")),
			rate(pid+" KiB read", s.number(row, "kB_rd/s"), 1.0/1024, 64, of("Disk Read Bytes/sec")),
			rate(pid+" KiB written", s.number(row, "kB_wr/s"), 1.0/1024, 64, of("Disk Write Bytes/sec")),
			expectation{pid + " VSZ", s.number(row, "VSZ"), of("Virtual Bytes"), 1.0 / 1024, 0.01, 4096},
			expectation{pid + " RSS", s.number(row, "RSS"), of("Working Set"), 1.0 / 1024, 0.01, 4096})
	}
	return out
}

func (w *window) vmstat(lines [][]string) (out []expectation) {
	s := sheetWith(lines, "swpd", "cs", "in")
	if len(s.rows) == 0 {
		return nil
	}
	row := s.rows[len(s.rows)-1] // the first is since boot
	return append(out,
		rate("context switches", s.number(row, "cs"), 1, 20, counters("System", "", "Context Switches/sec")),
		rate("interrupts", s.number(row, "in"), 1, 20, counters(informationSet, totalName, "Interrupts/sec")),
		rate("KiB in", s.number(row, "bi"), 1.0/1024, 64, counters("Memory", "", "Block Bytes In/sec")),
		rate("KiB out", s.number(row, "bo"), 1.0/1024, 64, counters("Memory", "", "Block Bytes Out/sec")),
		rate("pages in", s.number(row, "si"), 1.0/4, 4, counters("Memory", "", "Pages Input/sec")),
		rate("pages out", s.number(row, "so"), 1.0/4, 4, counters("Memory", "", "Pages Output/sec")),
		percent("user", s.number(row, "us"), 1, 2.5, counters(informationSet, totalName, "% User Time")),
		percent("system", s.number(row, "sy"), 1, 2.5, counters(informationSet, totalName, "% Privileged Time")),
		percent("idle", s.sum(row, "id", "wa"), 1, 2.5, counters(informationSet, totalName, "% Idle Time")))
}
