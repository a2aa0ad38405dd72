package config

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// uncommented is the example with its settings in effect.
func uncommented() string {
	var b strings.Builder
	for l := range strings.Lines(example()) {
		if strings.HasPrefix(l, "#") && !strings.HasPrefix(l, "# ") {
			l = l[1:]
		}
		b.WriteString(l)
	}
	return b.String()
}

func TestExampleSaysNothing(t *testing.T) {
	c, warnings, err := Parse("f", []byte(example()))
	if err != nil || len(warnings) > 0 || len(c.Settings) > 0 || c.Counters.Len() > 0 || len(c.Decks) > 0 || len(c.Hosts) > 0 {
		t.Errorf("the commented example: %+v, %v, %v", c, warnings, err)
	}
}

func TestExampleUncommentedIsTheDefault(t *testing.T) {
	c, warnings, err := Parse("f", []byte(uncommented()))
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	if got := Merge(c.Settings); got != Merge() {
		t.Errorf("settings %+v, want %+v", got, Merge())
	}
	for _, key := range allSettings() {
		if !c.Settings.Has(key) {
			t.Errorf("the example has no %s", key)
		}
	}
	if n := reflect.TypeFor[Settings]().NumField(); n != len(settings) {
		t.Errorf("%d settings have %d fields", len(settings), n)
	}
	for i, h := range c.Hosts {
		if h.Password.IsZero() || i == 0 && (h.User == "" || !h.Watch) {
			t.Errorf("host %+v", h)
		}
	}
	if len(c.Hosts) != len(passwordLines) {
		t.Errorf("%d hosts", len(c.Hosts))
	}
	if c.Counters.Len() != 1 || len(c.Decks) != 1 || len(c.Decks[0].Panes) != 2 {
		t.Errorf("samples: %d counters, decks %+v", c.Counters.Len(), c.Decks)
	}
}

// The example has every key that is asked for, in a table of each kind.
func TestExampleHasEveryKey(t *testing.T) {
	data := []byte(uncommented())
	values, err := parseTOML("f", data)
	if err != nil {
		t.Fatal(err)
	}
	d := &decoder{file: "f", data: data}
	new(Config).decode(d.table("", values, locate(data)))
	said, asked := map[string]map[string]bool{}, map[string]map[string]bool{}
	for _, one := range d.tables {
		kind := regexp.MustCompile(`\[\d+\]`).ReplaceAllString(one.name, "")
		if table, _, named := strings.Cut(kind, "."); named && (table == tasksTable || table == webhooksTable) {
			kind = table + ".NAME"
		}
		if said[kind] == nil {
			said[kind], asked[kind] = map[string]bool{}, map[string]bool{}
		}
		for key := range one.values {
			said[kind][key] = true
		}
		maps.Copy(asked[kind], one.asked)
	}
	if len(asked) < 15 || len(asked["record"]) < 15 {
		t.Fatalf("asked for %v", asked)
	}
	for kind, keys := range asked {
		for key := range keys {
			secret := strings.HasPrefix(key, "password") || strings.HasPrefix(key, "token") || key == passwordAt.keyring || key == "user" && kind == engineTable
			if !said[kind][key] && (!secret || (kind == hostTable || kind == webhooksTable+".NAME") && key != passwordAt.bare && key != tokenAt.bare) {
				t.Errorf("the example has no %s.%s", kind, key)
			}
		}
	}
}

func TestExampleFitsAScreen(t *testing.T) {
	for l := range strings.Lines(example()) {
		if len(l) > 100 {
			t.Errorf("a line of %d bytes: %s", len(l), l)
		}
	}
}

var updateReadme = flag.Bool("update-readme", false, "write the example into the page of commands")

// The page of commands has the example, which is how users learn of settings and tables.
func TestReadmeHasTheExample(t *testing.T) {
	const page, begin, end = "../../cmd/perfdeck/README.md", "<!-- config -->\n```\n", "```\n<!-- /config -->"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(text), begin)
	told, tail, ok2 := strings.Cut(rest, end)
	switch {
	case !ok || !ok2:
		t.Fatalf("%s has no part for it", page)
	case told == example():
	case !*updateReadme:
		t.Errorf("%s has another: go test ./session/config -run Readme -update-readme", page)
	default:
		if err := os.WriteFile(page, []byte(head+begin+example()+end+tail), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// example is a config file with every setting and its default, and a sample of
// each kind of table, all commented out: "#" before a setting, "# " before
// words.
func example() string {
	var b strings.Builder
	prose(&b, "perfdeck reads this file and never writes it. Every setting is here with its\n"+
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
		prose(&b, settingLines[s.key])
		line(&b, key+" = "+s.standardText())
	}
	b.WriteByte('\n')
	prose(&b, "How single counters are shown; as many tables as needed.")
	samples(&b, "[["+counterTable+"]]", counterLines)
	b.WriteByte('\n')
	prose(&b, "Keys by action: perfdeck keys lists the actions and their keys. One key, a list\n"+
		"of keys, or [] for none.")
	samples(&b, "["+keysTable+"]", []sample{{"chart", `"Z"`, ""}, {"top", `["T", "ctrl+t"]`, ""}})
	b.WriteByte('\n')
	prose(&b, "Decks besides the one that perfdeck makes itself.")
	samples(&b, "[["+deckTable+"]]", deckLines)
	samples(&b, "[["+deckTable+".panes]]", paneLines[:ofRows])
	samples(&b, "[["+deckTable+".panes]]", append([]sample{{"paths", `['\Process(*)\% Processor Time']`, ""}}, paneLines[ofRows:]...))
	b.WriteByte('\n')
	prose(&b, "Hosts, each with its own account. The password is never here; where nothing says\n"+
		"where it is, it comes from --password-file, PERFDECK_PASSWORD or a prompt.")
	for i, p := range passwordLines {
		keys := hostLines
		if i > 0 {
			number := fmt.Sprintf("web0%d", i+1)
			keys = []sample{{"name", `"` + number + `"`, ""}, {"address", `"tcp://` + number + `:14500"`, ""}}
		}
		samples(&b, "[["+hostTable+"]]", append(slices.Clone(keys), p))
	}
	b.WriteByte('\n')
	prose(&b, "Hosts that belong together, by their names above or as --host takes them: --group\n"+
		"names a group, Fleet has a row for each. The first group of a host is its site.")
	samples(&b, "["+groupsTable+"]", []sample{{"fra", `["web01", "web02"]`, ""}, {"sql", `["sql01.example.com", "tcp://web03:14500"]`, ""}})
	b.WriteByte('\n')
	prose(&b, "What you call counters, besides what perfdeck knows: the palette, Browse and perfdeck list\n"+
		"find them by it.")
	samples(&b, "["+wordsTable+"]", []sample{{`"slow mail"`, `['\SMTP Server(*)\Local Queue Length', '\PhysicalDisk(*)\Avg. Disk sec/Transfer']`, ""}})
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
		prose(b, s.about)
		if s.value != "" {
			line(b, s.key+" = "+s.value)
		}
	}
}

// words writes lines that are for people.
func prose(b *strings.Builder, text string) {
	if text == "" {
		return
	}
	for l := range strings.Lines(text) {
		b.WriteString("# " + strings.TrimSuffix(l, "\n") + "\n")
	}
}

// line writes a line of TOML, commented out.
func line(b *strings.Builder, toml string) { b.WriteString("#" + toml + "\n") }

// alertSamples is the part about alerts of the example file.
func alertSamples(b *strings.Builder) {
	prose(b, "Starter packs of rules: processor, memory, disk, network, sqlserver, iis, directory,\n"+
		"exchange; see perfdeck alerts list --pack disk.")
	line(b, "["+alertsTable+"]")
	line(b, `packs = ["processor", "disk"]`)
	b.WriteByte('\n')
	prose(b, "Rules. They are judged while the screens or perfdeck watch run.")
	samples(b, "[["+alertTable+"]]", without(alertLines, append([]string{"absent", "after", "value", "where", "trend", "grows", "more_than", "within"}, counted...)...))
	samples(b, "[["+alertTable+"]]", only(alertLines, "source", "id", "log", "more_than", "within"))
	samples(b, "[["+alertTable+"]]", only(alertLines, "key"))
	samples(b, "[["+alertTable+"]]", only(alertLines, "absent", "after"))
	samples(b, "[["+alertTable+"]]", append([]sample{{"when", `'\PhysicalDisk(*)\Disk Bytes/sec > 0.9'`, ""}}, only(alertLines, "value", "where")...))
	samples(b, "[["+alertTable+"]]", append([]sample{{"when", `'\Process(*)\Private Bytes > 104857600'`, ""}}, only(alertLines, "trend")...))
	samples(b, "[["+alertTable+"]]", append([]sample{{"when", `'\Process(*)\Handle Count > 1000'`, ""}}, only(alertLines, "grows")...))
	b.WriteByte('\n')
	prose(b, "Programs that alerts run. A file that names one must not be writable by others.")
	samples(b, "["+tasksTable+".page]", taskLines)
	b.WriteByte('\n')
	prose(b, "Where alerts are sent to.")
	samples(b, "["+webhooksTable+".ops]", without(webhookLines, tokenAt.command, tokenAt.keyring))
	samples(b, "["+webhooksTable+".team]", append([]sample{{"url", `"https://team.example.com/"`, ""}}, only(webhookLines, tokenAt.command)...))
	samples(b, "["+webhooksTable+".boss]", append([]sample{{"url", `"https://boss.example.com/"`, ""}}, only(webhookLines, tokenAt.keyring)...))
	b.WriteByte('\n')
	prose(b, "Alertmanagers of Prometheus: told what fires, again and again, and when it ends.")
	samples(b, "[["+alertmanagerTable+"]]", alertmanagerLines)
}

func only(list []sample, keys ...string) (out []sample) {
	for _, s := range list {
		for _, k := range keys {
			if s.key == k {
				out = append(out, s)
			}
		}
	}
	return out
}

func without(list []sample, keys ...string) (out []sample) {
	for _, s := range list {
		if len(only([]sample{s}, keys...)) == 0 {
			out = append(out, s)
		}
	}
	return out
}

// feedSamples is the part about feeds of the example file.
func feedSamples(b *strings.Builder) {
	prose(b, "Where the values of counter manifests come from; they stand beside this\ncomputer's own. session/hosts/README.md tells what lines are.")
	for i, s := range feedSourcesLines {
		keys := feedLines
		if i > 0 {
			keys = []sample{{"name", fmt.Sprintf(`"queue%d"`, i+1), ""}, {"manifests", fmt.Sprintf(`["~/queue%d.man"]`, i+1), ""}}
		}
		samples(b, fmt.Sprintf("[[%s]]", feedTable), append(slices.Clone(keys), s))
	}
	samples(b, fmt.Sprintf("[%s.%s]", feedTable, feedMetrics), metricSamples)
}

// noteSamples is the part about notes of the example file.
func noteSamples(b *strings.Builder) {
	prose(b, "What people and programs write down, see perfdeck note.")
	samples(b, "["+notesTable+"]", noteLines)
}

// pushSamples is the part about pushing of the example file.
func pushSamples(b *strings.Builder) {
	prose(b, "Engines that perfdeck watch pushes samples to, by Prometheus remote write;\nperfdeck push --to NAME and record --push NAME use them too.")
	for i, token := range pushTokensLines {
		keys := slices.Concat(pushLines, engineLines, []sample{token})
		if i > 0 {
			keys = []sample{{"name", fmt.Sprintf(`"engine%d"`, i+1), ""}, {"url", fmt.Sprintf(`"https://engine%d.example.com/api/v1/push"`, i+1), ""}, token}
		}
		samples(b, fmt.Sprintf("[[%s]]", pushTable), keys)
	}
	samples(b, fmt.Sprintf("[[%s]]", pushTable), append([]sample{{"name", `"engine4"`, ""}, {"url", `"https://engine4.example.com/api/v1/push"`, ""}}, pushPasswordsLines...))
	samples(b, fmt.Sprintf("[%s.%s]", pushTable, pushLabels), pushLabelSamples)
}

// engineSamples is the part about engines of the example file.
func engineSamples(b *strings.Builder) {
	prose(b, "Engines that hosts are read out of: perfdeck --host NAME shows all that it has, NAME#HOST one.\nToken or password are said as those of a [[push]].")
	samples(b, "[["+engineTable+"]]", slices.Concat(engineOwnLines, engineLines, pushTokensLines[:1]))
}

// recordSamples is the part about recordings of the example file.
func recordSamples(b *strings.Builder) {
	prose(b, "Recordings that have a name: perfdeck record --named incident, and actions of\n"+
		"alerts in perfdeck watch.")
	samples(b, fmt.Sprintf("[[%s]]", recordTable), recordLines)
}

func (s setting) standardText() string {
	if text, ok := s.standard.(string); ok {
		return strconv.Quote(text)
	}
	return fmt.Sprint(s.standard)
}
