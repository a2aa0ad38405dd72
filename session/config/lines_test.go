package config

import (
	"strings"
	"testing"

	"perfdeck/session/alert"
	"perfdeck/session/text/field"
)

// sample is a key of a table as the example has it.
type sample struct {
	key   string
	value string // in TOML; empty where tables follow
	about string
}

// settingLines say what settings are.
var settingLines = map[string]string{
	"interval":              "Time between samples: as \"500ms\" or \"1m\", or a number of seconds.",
	"history":               "How much is kept of what is shown, from 1s to 168h.",
	"history_memory":        "Memory for each 10 minutes of that, of each host, for what was shown and is not now:\nrows that ended or were scrolled away. What used most is kept longest.",
	"theme":                 "Colour theme: one of perfdeck's own, or NAME of themes/NAME.toml beside this file.\nOne that was chosen on the screens wins.",
	"background":            "Palette of the theme: \"dark\", \"light\", or \"auto\" to ask the terminal.",
	"ascii":                 "Draw with ASCII characters only.",
	"color":                 "Use the colours that the terminal has.",
	"mouse":                 "Use the mouse; false leaves it to the terminal.",
	"renderer":              "Who writes to the terminal: \"own\" or \"bubbletea\".",
	"low_bandwidth":         "For slow lines: values are drawn each 3 s, tables sorted each 10 s, sparklines\noverwrite themselves instead of scrolling. Sampling, alerts and recordings go on as always.",
	"keep_recording":        "A recording of the screens goes on when they end, until perfdeck record --stop.\nOtherwise it ends with them.",
	"numbers.grouping":      "What stands between groups of three digits; \"\" for nothing.",
	"numbers.units":         "Units of large numbers: \"windows\" (KB of 1024 bytes), \"si\" (kB of 1000),\n\"iec\" (KiB of 1024) or \"plain\" (none).",
	"numbers.scaled_values": "Show numbers times the default scale of their counter, as the letter of\nMS-PCQ has it. Otherwise the scale is for charts, as in Performance Monitor.",
}

// What the example says of the keys of tables.
var (
	alertLines = described(alert.Fields())
	taskLines  = []sample{
		{"command", `["/usr/local/bin/page", "{name}", "{counter}", "{value}"]`, "Run without a shell. {name} {counter} {value} {op} {threshold} {date}\n{event} {severity} {host} {instance} {why} {next} {usertext} and others are replaced\ninside each argument. It sees PATH, HOME, LANG and PERFDECK_ALERT_*.\nNames are no options: where one begins an argument and begins with -, it is not run,\nunless \"--\" stands before."},
		{"timeout", `"30s"`, "Then it is ended, with all that it started."},
		{"most", "4", "So many may run at once; the others wait."},
	}
	webhookLines = []sample{
		{"url", `"https://hooks.example.com/alerts"`, "It gets a JSON object by POST. http:// is for this computer only."},
		{tokenAt.file, `"~/.config/perfdeck/ops.token"`, "Its token: the first line of a file that only you may read,"},
		{tokenAt.command, `["pass", "show", "ops"]`, "or the first line that a program prints,"},
		{tokenAt.keyring, `"perfdeck"`, "or that of this service and the webhook's name in the system's keyring."},
		{"header", `"Authorization"`, "The header that carries it, here as \"Bearer TOKEN\", others as it is."},
		{"ca_file", `"/etc/ssl/ops.pem"`, "Trust these certificates instead of the system's."},
		{"per_minute", "30", "So many requests a minute at most."},
	}
	pushLines = []sample{
		{"name", `"prometheus"`, "As --to calls it, unlike every other one."},
		{"url", `"http://127.0.0.1:9090/api/v1/write"`, "Where it takes remote write. Secrets go to https:// only, or to this computer."},
		{"paths", `['\Process(*)\% Processor Time']`, "Counters, with wildcards,"},
		{"countersets", `["Memory", "LogicalDisk"]`, "whole countersets,"},
		{"packs", `["disk"]`, "and what starter packs judge; without all three the usual countersets."},
		{"hosts", `["web01", "web02"]`, "Absent: this computer, in perfdeck watch all that are watched."},
		{"interval", `"15s"`, "Time between samples; absent: that of the program."},
		{"raw", "true", "Raw values, as counters that end in _total; perfdeck explain --promql cooks them."},
		{"replica", `"a"`, "The label replica: for a pair, each of which pushes the same hosts."},
		{"queue_size", `"1GB"`, "What waits on disk while the engine is away: the oldest goes beyond so much,"},
		{"queue_age", `"24h"`, "and beyond this age."},
		{"rate", "50000", "Samples a second that are sent while some wait; absent: four times what comes in."},
	}
	pushTokensLines = []sample{
		{tokenAt.file, `"/etc/perfdeck/push.token"`, "A bearer token: the first line of a file that only you may read,"},
		{tokenAt.command, `["pass", "show", "push"]`, "of what a program prints,"},
		{tokenAt.keyring, `"perfdeck"`, "or that of this service and the name above in the system's keyring."},
	}
	pushPasswordsLines = []sample{
		{"user", `"perfdeck"`, "Or an account of basic authentication, with its password likewise."},
		{passwordAt.file, `"/etc/perfdeck/push.password"`, ""},
	}
	pushLabelSamples = []sample{{"site", `"fra"`, "Labels of every series."}}
	feedLines        = []sample{
		{"name", `"queue"`, "As messages call it, unlike every other feed."},
		{"manifests", `["~/queue.man"]`, "The manifests that declare the counters."},
		{"keep", `"2m"`, "An instance of which nothing is told for so long is gone."},
		{"every", `"5s"`, "Between two runs of a program that ends, and two askings of an address."},
	}
	feedSourcesLines = []sample{
		{"command", `["queue-stats", "--json"]`, "Lines come from one of these: a program, which sees PATH, HOME and LANG only,"},
		{"file", `"/var/log/queue.jsonl"`, "a file that grows, or a named pipe,"},
		{"socket", `"/run/user/1000/queue.sock"`, "a Unix socket that perfdeck listens on,"},
		{"url", `"http://127.0.0.1:9100/metrics"`, "or an address on this computer, in Prometheus' text format."},
	}
	metricSamples = []sample{
		{"queue_jobs_done", `'\Queue({queue})\Jobs/sec'`, "Counters of samples whose name tells them not; {LABEL} is that label's value."},
	}
	counterLines = []sample{
		{"path", `'\PhysicalDisk(*)\Avg. Disk sec/*'`, "Which counters: * stands for any run of characters; the first match wins."},
		{"scale", "3", "Power of ten for charts, from -10 to 10, instead of the default scale."},
		{"units", `"si"`, "As in [numbers]; stands above the attributes noDigitGrouping and displayAsReal."},
		{"digits", "1", "Decimals, from 0 to 17."},
	}
	noteLines = []sample{
		{"files", `["/var/log/deploys.log"]`, "Files to which other programs append notes: lines of a time and text, text alone, or\nobjects with \"time\" and \"text\". perfdeck note --help tells more."},
	}
	deckLines = []sample{
		{"name", `"web"`, "Unlike that of every other deck."},
		{"sets", `["APP_POOL_WAS", "Web Service"]`, "It is for hosts that have one of these countersets: D offers it there, of what they have."},
		{"host", `"local"`, "Where its counters are, unless a pane has a host; absent: the first host."},
		{"panes", "", "In the order of their worth. Of their rows the last leave first."},
	}
	paneLines = []sample{
		{"paths", `['\Memory\Available MBytes', '\Memory\Cache Bytes']`, "Counters of one counterset."},
		{"kind", `"meters"`, "What they are drawn as: rows, graph, meters, cells or table; absent: by what they are."},
		{"or", `['\Memory\Available KBytes']`, "In place of the paths, on a host that lacks the first of them."},
		{"also", `['\System\Processes']`, "Counters of any countersets: rows behind them."},
		{"limit", `'\Memory\Commit Limit'`, "Of paths that have none: a number in their own unit, or the counter that gives it."},
		{"used", "true", "In place of what the first path says to be left or idle, what is used or busy is shown."},
		{"busiest", "12", "With one path: only so many instances, those with the highest values."},
		{"spare", "true", "It is shown where there is room for it after the others."},
		{"host", `"local"`, "Where they are."},
	}
	alertmanagerLines = []sample{
		{"name", `"ops"`, "As actions of alerts call it, unlike every other."},
		{"urls", `["https://am1.example.com:9093", "https://am2.example.com:9093"]`, "Every Alertmanager of the cluster: each is told. http:// beyond this computer only\nwithout an account and a token."},
		{"user", `"perfdeck"`, "Account, with the password as those of hosts: password_file, password_command or\nkeyring. Or a token: token_file, token_command or token_keyring."},
		{passwordAt.file, `"~/.config/perfdeck/ops.password"`, ""},
		{"ca_file", `"/etc/ssl/ops.pem"`, "Trust these certificates instead of the system's."},
		{"repeat", `"1m"`, "What fires is sent so often; it ends there when it was not for four times as long."},
		{"labels", `{ site = "fra" }`, "Labels of every alert, besides its own."},
		{"link", `"https://wiki.example.com/alerts"`, "Where an alert's link leads; absent: it has none."},
	}
	hostLines = []sample{
		{"name", `"web01"`, "As --host and screens call it, unlike every other host."},
		{"address", `"tcp://web01.example.com:14500"`, "Where it is."},
		{"user", `'DOMAIN\ana'`, "Account; absent: that of --user."},
		{"kerberos", "true", "Log on with Kerberos, as by --kerberos."},
		{"require_kerberos", "true", "Never with NTLM."},
		{"ccache", `"~/.cache/krb5cc"`, "Tickets of kinit; absent: $KRB5CCNAME."},
		{"keytab", `"~/.config/perfdeck/ana.keytab"`, "Or the account's keys."},
		{"spn", `"cifs/web01.example.com"`, "What its ticket is for; absent: cifs/ and its name."},
		{"smb_encrypt", "true", "Refuse it where its SMB cannot encrypt."},
		{"max_rate", `"32KB"`, "Bytes a second at most, both ways, of all that it is asked; absent: that of --max-rate."},
		{"endpoint_port", "135", "Where its data collector sets are asked for, if not at the usual port, as behind a tunnel."},
		{"shares", `{ 'C:\PerfLogs' = "perflogs" }`, "Shares by which its folders are read for collect fetch; absent: C$ and the like,\nwhich administrators alone may enter."},
		{"costly", "true", "Its costly objects too, which take it long to give."},
		{"deploy", "true", "By ssh: perfdeck is copied there where it lacks, without asking."},
		{"watch", "true", "Watched, beside this computer, when perfdeck starts without --host."},
		{"events", `["warning"]`, "What it writes down itself, from this level on, is what the Log, alerts and recordings\nare given; [] for nothing, absent: all. It is read only while one of them wants it."},
		{"services", "true", "perfdeck exporter counts its services by their states; this computer's always."},
		{"sets", `["Detail", 'System\System Performance']`, "Its data collector sets that Records shows, and that actions of alerts may start and stop."},
		{"stop_sets", `"any"`, "stop-set stops them whoever started them; absent: those that the same rule started."},
	}
	passwordLines = []sample{
		{passwordAt.keyring, `"perfdeck"`, "Its password: that of this service and the account in the system's keyring."},
		{passwordAt.file, `"~/.config/perfdeck/web02.password"`, "Or the first line of a file that only you may read."},
		{passwordAt.command, `["pass", "show", "web03"]`, "Or the first line that a program prints. It is run without a shell and without a\nterminal, has 10 seconds, and sees PATH, HOME and LANG only."},
	}
	recordLines = []sample{
		{"name", `"incident"`, "As --named and actions of alerts call it, unlike every other recording."},
		{"paths", `['\Processor Information(_Total)\*', '\Memory\*']`, "Counters, with wildcards."},
		{"hosts", `["web01", "web02"]`, "Where they are; absent: this computer, in perfdeck watch all that are watched."},
		{"file", `"~/recordings/incident.db"`, "Absolute, or below ~/. Its extension tells the format."},
		{"interval", `"5s"`, "Time between samples; absent: that of the program."},
		{"segment_time", `"1h"`, "Begin the next file after so long,"},
		{"segment_size", `"100MB"`, "or at this size,"},
		{"segment_samples", "1000", "or after so many samples."},
		{"ring", `"2GB"`, "Remove the oldest files when all are larger,"},
		{"keep_for", `"1d"`, "or those that ended so long ago; the next file begins after a 24th of it, unless it is said."},
		{"per_host", "true", "A file for each host."},
		{"events", "true", "Keep what hosts write down of themselves, too, with its texts: .db and .json files do."},
		{"follow_instances", "true", "Begin the next file when instances come that a CSV has no column for."},
		{"parts", `"computer,yyyyMMdd"`, "Parts of the names, and a pattern of them, as record has them."},
		{"pattern", `'\_HHmm'`, ""},
		{"duration", `"30m"`, "How long; absent: until it is stopped, or an alert ends it."},
		{"samples", "5000", "Or so many samples."},
		{"always", "true", "perfdeck watch records it all the time."},
	}
	engineLines = []sample{
		{"tenant", `"ops"`, "X-Scope-OrgID of Mimir."},
		{"ca_file", `"/etc/perfdeck/ca.pem"`, "Certificates that are trusted instead of the system's."},
		{"cert_file", `"/etc/perfdeck/client.pem"`, "What perfdeck shows, and its key."},
		{"key_file", `"/etc/perfdeck/client.key"`, ""},
	}
	engineOwnLines = []sample{
		{"name", `"metrics"`, "As --host calls it, unlike every host."},
		{"url", `"prom+https://metrics.example.com"`, "What stands before /api/v1. Secrets go to https:// only, or to this computer."},
		{"at_once", "4", "Queries under way at the same time, at most."},
		{"apart", `"20ms"`, "From the start of one to that of the next, at least."},
		{"timeout", `"30s"`, "How long one may take."},
		{"max_series", "200000", "Of one answer: what has more is refused."},
		{"max_bytes", `"128MB"`, ""},
	}
)

// ofRows is how many of the keys of panes the example has in its first one.
const ofRows = 6

// described is what the example has of fields.
func described[S any](rows field.Rows[S]) (out []sample) {
	for _, f := range rows {
		if f.Help != "" {
			out = append(out, sample{f.Name, valueText(f.Kind, f.Example()), folded(f.Help)})
		}
	}
	return out
}

// folded is a text in lines.
func folded(text string) string {
	const cells = 90
	var lines []string
	for word := range strings.FieldsSeq(text) {
		if n := len(lines) - 1; n >= 0 && len(lines[n])+1+len(word) <= cells {
			lines[n] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return strings.Join(lines, "\n")
}

// Every setting has its lines.
func TestLinesOfEverySetting(t *testing.T) {
	for _, settings := range settings {
		if settingLines[settings.key] == "" {
			t.Errorf("nothing is said of %s", settings.key)
		}
	}
}
