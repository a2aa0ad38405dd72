package journal

import (
	"strconv"
	"strings"
	"time"

	"perfdeck/session"
	"perfdeck/session/text/english"
)

// folding makes one event of those that say the same.
type folding struct {
	minute time.Time
	kinds  map[kind]struct{} // of this minute
	counts map[bool]int      // of them, by whether they are known
}

// kind is what those that say the same have in common.
type kind struct {
	level                                       session.EventLevel
	log, source, id, unit, known, names, shaped string
}

const (
	mostKinds  = 64   // in a minute, of what is known and of the rest each
	mostOthers = 4096 // that are told apart to count them
)

func kindOf(e *session.HostEvent) kind {
	k := kind{e.Level, e.Log, e.Source, e.ID, e.Unit, e.Known, strings.Join(e.Names, "\x00"), ""}
	if e.Known == "" {
		k.shaped = shape(e.Text)
	}
	return k
}

// fold folds what was read at once, in its order. Beyond so many kinds in a minute the others
// are one event.
func (f *folding) fold(events []session.HostEvent) []session.HostEvent {
	var out []session.HostEvent
	at := map[kind]int{}
	rest, others := -1, map[kind]struct{}{}
	for i := range events {
		e := &events[i]
		if e.Known == session.EventGap { // each is of its own time
			out = append(out, *e)
			continue
		}
		if minute := e.Time.Truncate(time.Minute); f.kinds == nil || !minute.Equal(f.minute) {
			f.minute, f.kinds, f.counts = minute, map[kind]struct{}{}, map[bool]int{}
		}
		k := kindOf(e)
		if n, is := at[k]; is {
			out[n].Add(e)
			continue
		}
		if f.admits(&k) {
			at[k] = len(out)
			out = append(out, *e)
			continue
		}
		if len(others) < mostOthers {
			others[k] = struct{}{}
		}
		if rest < 0 {
			rest = len(out)
			out = append(out, session.HostEvent{Time: e.Time, Until: e.Until, Own: e.Own, Level: e.Level, Log: e.Log})
		}
		all := &out[rest]
		all.Level = max(all.Level, e.Level)
		all.Add(e)
	}
	if rest >= 0 {
		out[rest].Text = strconv.Itoa(out[rest].Count) + " more of " + english.Count(len(others), "kind", "kinds")
	}
	return out
}

func (f *folding) admits(k *kind) bool {
	if _, is := f.kinds[*k]; is {
		return true
	}
	isKnown := k.known != ""
	if f.counts[isKnown] >= mostKinds {
		return false
	}
	f.counts[isKnown]++
	f.kinds[*k] = struct{}{}
	return true
}

// shape is a text with what varies taken out: numbers, hexadecimal ones, addresses.
func shape(s string) string {
	const most = 200
	var out strings.Builder
	for i := 0; i < len(s) && out.Len() < most; {
		end := i
		digits, hex := false, true
		for ; end < len(s) && isWord(s[end]); end++ {
			c := s[end] | 0x20
			digits = digits || c >= '0' && c <= '9'
			hex = hex && (c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c == 'x' && end == i+1)
		}
		switch word := s[i:end]; {
		case end == i:
			out.WriteByte(s[i])
			end++
		case !digits:
			out.WriteString(word)
		case hex:
			out.WriteByte('#')
		default:
			numbered := false
			for _, c := range []byte(word) {
				if isDigit := c >= '0' && c <= '9'; !isDigit {
					out.WriteByte(c)
				} else if !numbered {
					out.WriteByte('#')
				}
				numbered = c >= '0' && c <= '9'
			}
		}
		i = end
	}
	return out.String()
}

func isWord(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}
