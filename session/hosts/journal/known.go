package journal

import (
	"cmp"
	_ "embed" // the sheet
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"perfdeck/session"
	"perfdeck/session/hosts/service"
	"perfdeck/session/text/eventtext"
	"perfdeck/session/text/printable"
	"perfdeck/session/text/sheet"
)

//go:embed known.txt
var sheetText string

// known is the sheet.
type known struct {
	kernel   []kernelRule
	traces   []*regexp.Regexp
	ids      map[string]idRule // by MESSAGE_ID
	services map[string]string // keys of the start of some services, by their names
}

type kernelRule struct {
	key  string
	word string // that is looked for first: it costs next to nothing
	text *regexp.Regexp
}

type idRule struct {
	key   string
	by    writer
	names []string // fields
}

var writers = map[string]writer{"systemd": bySystemd, "root": byRoot, "journald": byJournald, "coredump": byCoreDump}

var table = sync.OnceValue(func() *known {
	k := &known{ids: map[string]idRule{}, services: map[string]string{}}
	for r := range sheet.Rows(sheetText) {
		switch r.Part {
		case "kernel":
			k.kernel = append(k.kernel, kernelRule{r.Name, r.Words[0], regexp.MustCompile(r.After(1))})
		case "trace":
			k.traces = append(k.traces, regexp.MustCompile(r.After(0)))
		case "service":
			for _, name := range r.Words {
				k.services[name] = r.Name
			}
		default:
			k.ids[r.Words[0]] = idRule{r.Name, writers[r.Part], r.Words[1:]}
		}
	}
	return k
})

// Logs of events.
const (
	logJournal = "journal"
	logKernel  = "kernel"
)

// event is what a line tells; wanted: it is known, or bad enough.
func (e *entry) event() (out session.HostEvent, wanted bool) {
	if e.isPrivate() {
		return out, false
	}
	by, uid := e.writer(), e.text(fieldUID)
	out = session.HostEvent{
		Time: e.time, Until: e.time, Own: e.time, Count: 1, Log: logJournal, Level: levelOf(e.text(fieldPriority)),
		Source: short(cmp.Or(e.text(fieldIdentifier), e.text(fieldComm), e.text(fieldTransport))), ID: short(e.text(fieldID)),
		PID: e.number(fieldPID), Text: text(e.text(fieldMessage)),
	}
	if _, there := e.fields[fieldMessage]; there && out.Text == "" {
		out.Text = "a text that is too long for journalctl"
	}
	if unit, is := service.UnitName(e.text(fieldOwnUnit)); is {
		out.Unit = short(unit)
	}
	rule, ruled := table().ids[e.text(fieldID)]
	switch {
	case by == byKernel:
		out.Log, out.PID = logKernel, 0
		if nameKernel(&out, e.text(fieldMessage)); out.Known == "" && isTrace(e.text(fieldMessage)) {
			return out, false
		}
	case ruled && rule.by == by:
		e.name(&out, &rule)
	case ruled: // it says so itself
		out.ID = ""
	}
	if by == byAnybody && (out.Source == logKernel || strings.HasPrefix(out.Source, "systemd")) {
		whose := " of a program" // through /dev/kmsg
		if uid != "" {
			whose = " of user " + short(uid)
		}
		out.Source += whose
	}
	if eventtext.IsFinding(out.Known) {
		out.Level = max(out.Level, session.EventWarning)
	}
	return out, out.Known != "" || out.Level >= session.EventWarning
}

// name tells which of our sentences is that of a line with a MESSAGE_ID, where it has one.
func (e *entry) name(out *session.HostEvent, rule *idRule) {
	if e.text(fieldPriority) == debugging || strings.Contains(e.text(fieldMessage), skipped) {
		return
	}
	key, names, unit := rule.key, make([]string, 0, len(rule.names)), ""
	for _, field := range rule.names {
		said := short(e.text(field))
		name, is := service.UnitName(said)
		switch {
		case strings.HasSuffix(field, fieldUnit) && is:
			said, unit = name, name
			out.Unit = name
		case field == fieldUnit: // a mount, a session
			return
		case field == fieldStatus:
			if code := e.text(fieldCode); code == "killed" || code == "dumped" { // as shells count
				const bySignal = 128
				said = strconv.FormatUint(bySignal+e.number(field), 10)
			}
		}
		names = append(names, said)
	}
	if other := table().services[unit]; other != "" && key == "unit-started" {
		key = other
	}
	out.Known, out.Names, out.PID = key, names, e.number(fieldCorePID)
}

// debugging is the priority of what systemd tells of itself to who develops it.
const debugging = "7"

// skipped is what it says of a unit that it did not start, under the MESSAGE_ID of those that it did.
const skipped = " was skipped because "

// nameKernel tells which of our sentences is that of a line of the kernel.
func nameKernel(out *session.HostEvent, said string) {
	said = said[:min(len(said), mostBytes)]
	for i := range table().kernel {
		rule := &table().kernel[i]
		if !strings.Contains(said, rule.word) {
			continue
		}
		found := rule.text.FindStringSubmatch(said)
		if found == nil {
			continue
		}
		out.Known = rule.key
		for n, group := range rule.text.SubexpNames()[1:] {
			if said := found[n+1]; group == "pid" {
				out.PID, _ = strconv.ParseUint(said, 10, 32)
			} else {
				out.Names = append(out.Names, short(said))
			}
		}
		return
	}
}

// isTrace tells what belongs to a line of the kernel above it, and is left out.
func isTrace(said string) bool {
	said = said[:min(len(said), mostBytes)]
	return slices.ContainsFunc(table().traces, func(r *regexp.Regexp) bool { return r.MatchString(said) })
}

// levelOf is how bad a priority of syslog(3) is. One that is none is that of who tells none.
func levelOf(priority string) session.EventLevel {
	switch {
	case priority == "" || priority[0] > '4' || priority[0] < '0':
		return session.EventInformation
	case priority[0] == '4':
		return session.EventWarning
	case priority[0] == '3':
		return session.EventError
	}
	return session.EventCritical
}

// Bounds of what is foreign.
const (
	mostBytes = 4096 // that are looked at
	mostName  = 128
)

// text is what is foreign as one line.
func text(s string) string {
	return printable.Line(s[:min(len(s), mostBytes)], session.MostEventText)
}

func short(s string) string { return printable.Shorten(text(s), mostName) }
