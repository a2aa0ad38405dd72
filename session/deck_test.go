package session_test

import (
	"slices"
	"strings"
	"testing"

	"perfdeck/session"
)

// host is a catalogue of some countersets: those with a * have instances.
func host(sets map[string][]string) *session.Catalogue {
	cat := &session.Catalogue{}
	for name, counters := range sets {
		set := &session.Counterset{Name: strings.TrimSuffix(name, "*")}
		if set.Name != name {
			set.Instances = session.MultipleInstances
		}
		for _, c := range counters {
			set.Counters = append(set.Counters, session.Counter{Name: c})
		}
		cat.Sets = append(cat.Sets, set)
	}
	return cat
}

var (
	processor = []string{"% Processor Time", "% User Time", "% Privileged Time", "% DPC Time", "% Interrupt Time", "Interrupts/sec"}
	diskBytes = []string{"Disk Read Bytes/sec", "Disk Write Bytes/sec"}
	busy      = []string{"% Processor Time"}
)

// No path stands twice on a default deck.
func TestDefaultDeckNamesOnce(t *testing.T) {
	cat := host(map[string][]string{
		"Processor Information*": {"% Processor Time", "Interrupts/sec"}, "Network Interface*": {"Bytes Received/sec"},
		"System": {"Load Average 1 Minutes x100", "Context Switches/sec", "Processes", "Threads", "System Up Time", "Forks/sec"},
		"TCPv4":  {"Segments Received/sec", "Segments Sent/sec", "Segments Retransmitted/sec", "Connections Established", "Connection Failures", "Connections Reset"},
	})
	seen := map[string]bool{}
	for _, p := range session.DefaultDeck("", cat).Panes {
		for _, path := range slices.Concat(p.Paths, p.Also) {
			if seen[path] {
				t.Errorf("%s stands twice", path)
			}
			seen[path] = true
		}
	}
	if len(seen) != 16 {
		t.Errorf("%d paths: %v", len(seen), seen)
	}
}

// The default deck has what the host offers, by the newer names where it has both, and
// of what stands for each other the better.
func TestDefaultDeck(t *testing.T) {
	for name, c := range map[string]struct {
		cat  *session.Catalogue
		want []string // pane by pane: its paths, and behind a bar those that it has beside
	}{
		"nothing":    {host(nil), nil},
		"no default": {host(map[string][]string{"SQLServer:Locks*": {"Lock Waits/sec"}}), nil},
		"linux": {host(map[string][]string{
			"Processor Information*": {"% Processor Time", "% User Time", "% I/O Wait", "% DPC Time", "Interrupts/sec"},
			"Memory":                 {"Available Bytes", "Available MBytes", "Swap Used Bytes", "Pages/sec"}, "Paging File*": {"% Usage"},
			"System":       {"Load Average 1 Minutes x100", "Processor Queue Length"},
			"LogicalDisk*": {"% Free Space", "Free Megabytes"}, "Process*": busy,
		}), []string{
			`\Processor Information(_Total)\% Processor Time \Processor Information(_Total)\% User Time \Processor Information(_Total)\% I/O Wait |` +
				` \System\Processor Queue Length \System\Load Average 1 Minutes x100 \Processor Information(_Total)\Interrupts/sec`,
			`\Processor Information(*)\% Processor Time |`,
			`\Memory\Available Bytes \Memory\Swap Used Bytes | \Memory\Pages/sec`,
			`\Process(*)\% Processor Time |`,
			`\LogicalDisk(*)\% Free Space | \LogicalDisk(*)\Free Megabytes`,
		}},
		"windows": {host(map[string][]string{
			"Processor Information*": processor, "Processor*": processor, "Memory": {"Available Bytes", "Committed Bytes"}, "Paging File*": {"% Usage"},
			"PhysicalDisk*": diskBytes, "Network Interface*": {"Bytes Received/sec", "Bytes Sent/sec"}, "Process*": busy, "Process V2*": busy,
			"System": {"Processor Queue Length"},
		}), []string{
			`\Processor Information(_Total)\% Processor Time \Processor Information(_Total)\% User Time \Processor Information(_Total)\% Privileged Time` +
				` \Processor Information(_Total)\% DPC Time \Processor Information(_Total)\% Interrupt Time |` +
				` \System\Processor Queue Length \Processor Information(_Total)\Interrupts/sec`,
			`\Processor Information(*)\% Processor Time |`,
			`\Memory\Available Bytes \Memory\Committed Bytes | \Paging File(_Total)\% Usage`,
			`\PhysicalDisk(_Total)\Disk Read Bytes/sec \PhysicalDisk(_Total)\Disk Write Bytes/sec |`,
			`\Network Interface(total of *)\Bytes Received/sec \Network Interface(total of *)\Bytes Sent/sec |`,
			`\Process V2(*)\% Processor Time |`,
		}},
		"old windows": {host(map[string][]string{
			"Processor*": processor, "Memory": {"Available MBytes"}, "LogicalDisk*": diskBytes, "Process*": busy, "Process V2*": {"Thread Count"},
		}), []string{
			`\Processor(_Total)\% Processor Time \Processor(_Total)\% User Time \Processor(_Total)\% Privileged Time` +
				` \Processor(_Total)\% DPC Time \Processor(_Total)\% Interrupt Time | \Processor(_Total)\Interrupts/sec`,
			`\Processor(*)\% Processor Time |`,
			`\Memory\Available MBytes |`,
			`\LogicalDisk(_Total)\Disk Read Bytes/sec \LogicalDisk(_Total)\Disk Write Bytes/sec |`,
			`\Process(*)\% Processor Time |`,
		}},
	} {
		var got []string
		for _, pane := range session.DefaultDeck("h", c.cat).Panes {
			got = append(got, strings.TrimSpace(strings.Join(pane.Paths, " ")+" | "+strings.Join(pane.Also, " ")))
			if pane.Host != "h" {
				t.Errorf("%s: a pane of %q", name, pane.Host)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s:\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}

// Beside each other hosts have the same panes with the same rows, whatever they lack.
func TestDefaultAbreast(t *testing.T) {
	of := func(cat *session.Catalogue) (out []string) {
		for _, p := range session.DefaultAbreast(cat) {
			rows := append(slices.Clone(p.Paths), p.Also...)
			for i, text := range rows {
				rows[i] = text[strings.LastIndexByte(text, '\\')+1:]
			}
			out = append(out, strings.Join(rows, ", "))
		}
		return out
	}
	want := of(nil)
	if len(want) != 5 || !strings.HasPrefix(want[0], "% Processor Time, Processor Queue Length, ") {
		t.Fatalf("%q", want)
	}
	for _, cat := range []*session.Catalogue{
		host(nil),
		host(map[string][]string{"Processor*": processor, "Process V2*": busy}),
		host(map[string][]string{"Memory": {"Available Bytes", "Available MBytes", "Pages/sec"}}),
	} {
		if got := of(cat); !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := of(host(map[string][]string{"Memory": {"Available MBytes"}}))[1]; !strings.HasPrefix(got, "Available MBytes, Available MBytes, ") {
		t.Errorf("%q", got)
	}
	if got := session.DefaultAbreast(host(map[string][]string{"Processor*": processor}))[0].Paths[0]; got != `\Processor(_Total)\% Processor Time` {
		t.Errorf("%q", got)
	}
}

func TestDefaultSets(t *testing.T) {
	names := session.DefaultSets()
	for _, want := range []string{"Processor Information", "Processor", "Memory", "Paging File", "System", "PhysicalDisk", "Network Interface", "TCPv4", "Process V2", "Process", "LogicalDisk"} {
		if !slices.Contains(names, want) {
			t.Errorf("no %s in %q", want, names)
		}
	}
}

// A deck is for countersets by their English names, whatever the host calls them.
func TestDeckFitsInEveryLanguage(t *testing.T) {
	d := session.Deck{Sets: []string{"Web Service"}}
	if cat := (&session.Catalogue{Sets: []*session.Counterset{{Name: "Webdienst", English: "Web Service"}}}); !d.Fits(cat) {
		t.Error("it does not fit")
	}
	if d.Fits(&session.Catalogue{Sets: []*session.Counterset{{Name: "Webdienst"}}}) {
		t.Error("it fits what nobody knows")
	}
}
