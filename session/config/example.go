package config

import (
	"fmt"
	"slices"
	"strings"
)

// sample is a key of a table of which a file may have many.
type sample struct {
	key   string
	value string // for the example, in TOML; empty where tables follow
	about string
}

func sampleKeys(samples []sample) []string {
	keys := make([]string, len(samples))
	for i, s := range samples {
		keys[i] = s.key
	}
	return keys
}

// Example is a config file with every setting and its default, and a sample of
// each kind of table, all commented out: "#" before a setting, "# " before
// words.
func Example() string {
	var b strings.Builder
	words(&b, "perfdeck reads this file and never writes it. Every setting is here with its\n"+
		"default; remove the # before those that you change. A flag wins over the\n"+
		"environment (PERFDECK_INTERVAL and so on), which wins over this file.")
	table := ""
	for _, s := range settings {
		in, key := s.split()
		b.WriteByte('\n')
		if in != table {
			table = in
			line(&b, "["+table+"]")
		}
		words(&b, s.about)
		line(&b, key+" = "+s.standardText())
	}
	b.WriteByte('\n')
	words(&b, "How single counters are shown; as many tables as needed.")
	samples(&b, "[["+counterTable+"]]", counterKeys)
	b.WriteByte('\n')
	words(&b, "Keys by action: perfdeck keys lists the actions and their keys. One key, a list\n"+
		"of keys, or [] for none.")
	samples(&b, "["+keysTable+"]", []sample{{"chart", `"Z"`, ""}, {"top", `["T", "ctrl+t"]`, ""}})
	b.WriteByte('\n')
	words(&b, "Decks besides the one that perfdeck makes itself.")
	samples(&b, "[["+deckTable+"]]", deckKeys)
	samples(&b, "[["+deckTable+".panes]]", paneKeys[:ofRows])
	samples(&b, "[["+deckTable+".panes]]", append([]sample{{"paths", `['\Process(*)\% Processor Time']`, ""}}, paneKeys[ofRows:]...))
	b.WriteByte('\n')
	words(&b, "Hosts, each with its own account. The password is never here; where nothing says\n"+
		"where it is, it comes from --password-file, PERFDECK_PASSWORD or a prompt.")
	for i, p := range passwordKeys {
		keys := hostKeys
		if i > 0 {
			number := fmt.Sprintf("web0%d", i+1)
			keys = []sample{{"name", `"` + number + `"`, ""}, {"address", `"tcp://` + number + `:14500"`, ""}}
		}
		samples(&b, "[["+hostTable+"]]", append(slices.Clone(keys), p))
	}
	b.WriteByte('\n')
	words(&b, "Hosts that belong together, by their names above or as --host takes them: --group\n"+
		"names a group, Fleet has a row for each. The first group of a host is its site.")
	samples(&b, "["+groupsTable+"]", []sample{{"fra", `["web01", "web02"]`, ""}, {"sql", `["sql01.example.com", "tcp://web03:14500"]`, ""}})
	b.WriteByte('\n')
	recordSamples(&b)
	b.WriteByte('\n')
	alertSamples(&b)
	b.WriteByte('\n')
	feedSamples(&b)
	b.WriteByte('\n')
	pushSamples(&b)
	engineSamples(&b)
	b.WriteByte('\n')
	noteSamples(&b)
	return b.String()
}

func samples(b *strings.Builder, header string, keys []sample) {
	line(b, header)
	for _, s := range keys {
		words(b, s.about)
		if s.value != "" {
			line(b, s.key+" = "+s.value)
		}
	}
}

// words writes lines that are for people.
func words(b *strings.Builder, text string) {
	if text == "" {
		return
	}
	for l := range strings.Lines(text) {
		b.WriteString("# " + strings.TrimSuffix(l, "\n") + "\n")
	}
}

// line writes a line of TOML, commented out.
func line(b *strings.Builder, toml string) { b.WriteString("#" + toml + "\n") }
