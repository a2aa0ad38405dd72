package browser

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/tui/canvas"
	"perfdeck/tui/pane"
)

// typeFacts are the counter type and the one of its companion.
func typeFacts(c *session.Counter) []fact {
	out := []fact{{"type", fmt.Sprintf("%v  0x%08X", c.Type, uint32(c.Type))}}
	if info, ok := c.Type.Info(); ok && info.Base != cooker.BaseNone && info.BaseType != 0 {
		out = append(out, fact{"base", fmt.Sprintf("%v  0x%08X", info.BaseType, uint32(info.BaseType))})
	}
	if names := c.Attributes.Names(); len(names) > 0 {
		out = append(out, fact{"shown", strings.Join(names, " ")})
	}
	return out
}

// scaleText is the default scale, which charts use, and the unit that numbers
// have here.
func scaleText(c *session.Counter, u cooker.Unit) string {
	text := "1 by default"
	if c.DefaultScale != 0 {
		text = fmt.Sprintf("10^%d by default", c.DefaultScale)
	}
	if u.Label != "" {
		text += ", shown as " + u.Label
	}
	return text
}

// levelName is the name of a detail level.
func levelName(l session.DetailLevel) string {
	if l == 0 {
		return "not told"
	}
	return l.String()
}

var quantityNames = [...]string{
	cooker.Count: "a number", cooker.PerSecond: "per second", cooker.Percent: "percent", cooker.Bytes: "bytes",
	cooker.BytesPerSecond: "bytes per second", cooker.BitsPerSecond: "bits per second", cooker.Seconds: "seconds",
	cooker.Hertz: "hertz", cooker.ServiceState: "a state", cooker.ServiceStart: "a kind of start",
}

// powers are the powers of 1000 that counters count in.
var powers = map[int8]string{-2: "micro", -1: "milli", 1: "kilo", 2: "mega", 3: "giga"}

// unitName is what a counter counts in.
func unitName(q cooker.Quantity) string {
	if int(q.Kind) >= len(quantityNames) {
		return quantityNames[cooker.Count]
	}
	name := quantityNames[q.Kind]
	switch q.Kind {
	case cooker.Bytes, cooker.BytesPerSecond, cooker.Seconds, cooker.Hertz:
		return powers[q.Exponent] + name
	}
	return name
}

// ownProvider is the provider of the countersets that are made of what this
// computer tells: they have the numbers of Windows' sets, and are not read there.
const ownProvider = "local"

// sourceOf says where a counterset of a host, or one counter of it, is read.
func sourceOf(host *pane.Host, set *session.Counterset, c *session.Counter) string {
	var parts []string
	provider := set.Provider
	switch {
	case host != nil && host.Local && provider == ownProvider:
		parts, provider = append(parts, "this computer"), ""
	case set.From != "":
		provider = ""
	case set.GUID != "":
		parts = append(parts, "V2 counterset "+set.GUID)
	case set.V1Index != 0:
		parts = append(parts, fmt.Sprintf("V1 object %d (HKEY_PERFORMANCE_DATA)", set.V1Index))
	}
	if c != nil {
		parts = append(parts, fmt.Sprintf("counter %d", c.ID))
	}
	if provider != "" {
		parts = append(parts, "of "+provider)
	}
	if by := set.ReadBy(); by != "" {
		parts = append(parts, "over "+by)
	}
	return strings.Join(append(parts, kindOf(set.Instances)), ", ")
}

// kindOf says how many instances a counterset has (MS-PCQ 2.2.4.1).
func kindOf(t session.InstanceType) string {
	switch t {
	case session.SingleInstance:
		return "single instance"
	case session.GlobalAggregate:
		return "multi instance, combined into one"
	case session.GlobalAggregateHistory:
		return "multi instance, combined into one with those that went"
	case session.MultipleAggregate:
		return "multi instance, combined in groups"
	}
	return "multi instance"
}

// endOf is the longest end of at most w cells.
func endOf(text string, w int) string {
	at := len(text)
	for at > 0 {
		_, size := utf8.DecodeLastRuneInString(text[:at])
		if w -= canvas.Full.TextWidth(text[at-size : at]); w < 0 {
			break
		}
		at -= size
	}
	return text[at:]
}
