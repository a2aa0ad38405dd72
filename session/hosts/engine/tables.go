package engine

import (
	"embed"
	"strings"
	"sync"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/engine/prom"
	"perfdeck/session/text/sheet"
)

// tables are what exporters' metrics are in names of Windows. A new exporter is a sheet, a row
// here, and a row of markers for what its hosts are known by.
//
// Sources: the metrics of windows_exporter v0.25.1 and v0.31, node_exporter v0.15 and v1.8, and
// telegraf v1.30 as their documentation lists them. Where a metric was renamed the older name
// stands in for the newer, so that of both at once one counts.
var tables = sync.OnceValue(func() []table {
	return []table{
		{kind: ofWindowsExporter, entries: entriesOf("windows_exporter")},
		{kind: ofNodeExporter, entries: entriesOf("node_exporter")},
		{kind: ofTelegraf, entries: entriesOf("telegraf"), any: telegrafWindows},
	}
})

// sheets are of exporters: [COUNTERSET] LABEL, the label with the names of its instances, and
// COUNTER = METRIC WORDS: the words are those of take. Before them [renamed] may have
// METRIC = what it was called, with words of that.
//
//go:embed exporters/*.txt
var sheets embed.FS

// entriesOf is the sheet of an exporter.
func entriesOf(exporter string) (out []entry) {
	text, _ := sheets.ReadFile("exporters/" + exporter + ".txt") // it is there
	renamed := map[string][]string{}
	for r := range sheet.Rows(string(text)) {
		if r.Part == "renamed" {
			renamed[r.Name] = r.Words
			continue
		}
		e := entry{meaning{set: r.Part, instance: strings.Join(r.Of, ""), form: rawForm, scale: 1}, r.Words[0], r.Name}
		e.take(r.Words[1:])
		out = append(out, e)
		if older := renamed[e.metric]; older != nil {
			e.metric, e.stand = older[0], true
			e.take(older[1:])
			out = append(out, e)
		}
	}
	return out
}

// take takes in what words say: a label of the series, what it is to the counter where it is not
// the raw number in the same unit, and how instances are called where that is not what the label has.
func (e *entry) take(words []string) {
	for _, word := range words {
		if name, value, isLabel := strings.Cut(word, "="); isLabel {
			e.labels = is(name, value)
		}
		switch word {
		case "cooked":
			e.form = cookedForm
		case "moment":
			e.form = momentForm
		case "base":
			e.form = baseForm
		case "KiB":
			e.scale = 1 << 10
		case "MiB":
			e.scale = 1 << 20
		case "bits":
			e.scale = 1. / 8
		case "hundredths":
			e.scale = 1. / 100
		case "ticks":
			e.scale = ofTimer
		case "ms":
			e.scale *= 1000
		case "adds":
			e.adds = true
		case "older":
			e.stand = true
		case "group":
			e.named = ofGroup
		case "total":
			e.named = ofTelegrafCPU
		case "cpu0": // so processors are called
			named := e.named
			e.named = func(cpu string) string {
				if cpu = strings.TrimPrefix(cpu, "cpu"); named != nil {
					cpu = named(cpu)
				}
				return cpu
			}
		}
	}
}

const ofTimer = 1. / system100ns // in seconds

func is(name, value string) []prom.Label { return []prom.Label{{Name: name, Value: value}} }

// ofTelegrafCPU is a processor of Processor Information by its name in telegraf.
func ofTelegrafCPU(cpu string) string {
	if cpu == "cpu-total" {
		return totalName
	}
	return "0," + strings.TrimPrefix(cpu, "cpu")
}

// telegrafField is how telegraf's win_perf_counters writes a counter as a field.
var telegrafField = strings.NewReplacer("/sec", "_persec", "/Sec", "_persec", "%", "Percent", " ", "_", "/", "_", `\`, "_", ".", "")

// telegrafWindows is what its input win_perf_counters has, cooked: the measurement is the
// user's, the label objectname the counterset.
func telegrafWindows(set *session.Counterset, take func(string, meaning)) {
	short := map[string]string{
		"Processor Information": "win_cpu", "Processor": "win_cpu", "PhysicalDisk": "win_diskio", "LogicalDisk": "win_disk",
		"Network Interface": "win_net", "System": "win_system", "Memory": "win_mem", "Paging File": "win_swap", "Process": "win_proc",
	}[set.Name]
	if short == "" {
		return
	}
	for i := range set.Counters {
		m := meaning{set: set.Name, counter: i, form: cookedForm, scale: 1, labels: is("objectname", set.Name), instance: "instance"}
		take(short+"_"+telegrafField.Replace(set.Counters[i].Name), m)
		if set.Name == "Processor Information" { // the usual configuration has the older one alone
			m.labels, m.named, m.stand = is("objectname", "Processor"), ofGroup, true
			take(short+"_"+telegrafField.Replace(set.Counters[i].Name), m)
		}
	}
}

// ofGroup is a processor of Processor by its name in Processor Information.
func ofGroup(name string) string {
	if paths.IsTotal(name) {
		return name
	}
	return "0," + name
}
