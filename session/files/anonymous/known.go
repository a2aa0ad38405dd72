package anonymous

import (
	_ "embed" // the lists
	"strings"
	"sync"
	"unicode"

	"perfdeck/paths"
	"perfdeck/session/system/lazy"
)

// known is what may stay. All is folded.
type known struct {
	sets, counters, instances, users, words, units list
}

type list map[string]bool

// knownText has a line for each counterset: its name and those of its counters, with TABs
// between them. They are those of this program's own countersets, of those of Windows and
// of its servers, as published logs, lists of counters and starter packs name them.
//
//go:embed known.txt
var knownText string

// vocabularyText is words that texts about computers have, in sections: [words], [units],
// [instances] with a name a line, [users] alike.
//
//go:embed vocabulary.txt
var vocabularyText string

var load = sync.OnceValue(func() *known {
	k := &known{list{}, list{}, list{}, list{}, list{}, list{}}
	for line := range strings.Lines(knownText) {
		names := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		k.sets[paths.Fold(names[0])] = true
		for _, counter := range names[1:] {
			k.counters[paths.Fold(counter)] = true
		}
		for _, name := range names {
			for _, word := range strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
				k.words[paths.Fold(word)] = true
			}
		}
	}
	section := ""
	for line := range strings.Lines(vocabularyText) {
		line = paths.Fold(strings.TrimSpace(line))
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]"):
			section = line
		case section == "[instances]":
			k.instances[line] = true
		case section == "[users]":
			k.users[line] = true
		default:
			list := k.words
			if section == "[units]" {
				list = k.units
			}
			for word := range strings.FieldsSeq(line) {
				list[word] = true
			}
		}
	}
	return k
})

// devices are forms of names that systems give by themselves.
var devices = lazy.Regexp(`^(?:` + strings.Join([]string{
	`\d{1,9}`,                                // processors, sessions, ids
	`\d{1,4},\d{1,4}`,                        // processors by node
	`\d{1,4},_total`,                         //
	`_total[_ ]?\d*`,                         //
	`(?:cpu|node|package|core|node )\d{1,4}`, //
	`[a-z]:`,                                 // volumes of Windows
	`\d{1,3}(?: [a-z]:)*`,                    // disks of Windows
	`harddiskvolume\d{1,3}`,                  //
	`(?:sd|hd|vd|xvd)[a-z]{1,2}\d{0,3}`,
	`nvme\d{1,3}n\d{1,3}(?:p\d{1,3})?`,
	`mmcblk\d{1,3}(?:p\d{1,3})?`,
	`(?:loop|dm-|md|sr|zram|ram|nbd|fd|ada|da|nda|cd|disk)\d{1,3}(?:[sp]\d{1,3})*`,
	`(?:eth|en|em|wlan|wl|bond|br|tun|tap|ppp|usb|utun|lo|igb|ix|re|vtnet|vmx|awdl|bridge|docker|virbr|lxcbr|lxdbr|vnet|veth|sit|gif|stf|teredo|wg)\d{1,3}(?:\.\d{1,4})?`,
	`en(?:o|s|p)\d{1,3}(?:s\d{1,3})?(?:f\d{1,2})?(?:d\d{1,2})?(?:np\d{1,2})?`, // systemd.net-naming-scheme(7), but for those of a MAC
	`wlp\d{1,3}s\d{1,3}`,
	`(?:ethernet|wi-fi|local area connection|teredo tunneling pseudo-interface|loopback pseudo-interface)(?: \d{1,3})?`,
	`(?:vmxnet3 ethernet adapter|intel\[r\] (?:82574l|82579lm|i21\d-[a-z]{1,3}|i350) gigabit network connection|microsoft hyper-v network adapter|red hat virtio ethernet adapter)(?: _\d{1,3}| #\d{1,3})?`,
	`(?:\\_tz\.)?thm?z?\d{1,2}`,
	`(?:thermal_zone|hwmon|bat|ac)\d{1,2}`,
	`(?:kworker|ksoftirqd|migration|rcu\w*|irq|cpuhp|watchdog|scsi_eh|jbd2|idle_inject)(?:[/_:\-][\dhHu:+]{1,12})?`,
}, "|") + `)$`)

// isHarmless tells names of instances that are found everywhere.
func (k *known) isHarmless(name, folded string) bool {
	if name == "" || strings.Trim(name, "*") == "" || k.instances[folded] || devices().MatchString(folded) {
		return true
	}
	// Of several processes of a name: name#1 of Windows is no part of the name here,
	// name_1234 and name:1234 with an id are.
	if at := strings.LastIndexAny(folded, "_:"); at > 0 && isDigits(folded[at+1:]) {
		return k.instances[folded[:at]]
	}
	// A program of Linux or Windows by its file.
	return k.instances[strings.TrimSuffix(folded, ".exe")]
}
