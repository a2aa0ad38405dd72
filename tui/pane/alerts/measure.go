package alerts

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"perfdeck/cooker"
	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/tui/pane"
)

// watched is a counter that rules are about, and how it is shown. The zero one is
// none, as of hosts.
type watched struct {
	*session.Counter

	look session.Look
	per  string // stands behind the unit: of trends
	// whole: rules hold what is left, of which people see what is used, in percent of this. 0:
	// they see the value.
	whole float64
}

// seen is a value of the rule as people see it.
func (c watched) seen(v cooker.Value) cooker.Value {
	if f, ok := v.Float(); ok && c.whole > 0 {
		v = cooker.FloatValue(tidy(fullPercent - fullPercent*f/c.whole))
	}
	return v
}

// stored is the other way round.
func (c watched) stored(seen float64) float64 {
	if c.whole > 0 {
		return tidy(c.whole * (fullPercent - seen) / fullPercent)
	}
	return seen
}

// side is the side of limits that people see of the rule's, and the other way round.
func (c watched) side(op paths.Op) paths.Op {
	switch {
	case c.whole == 0:
		return op
	case op == paths.Above:
		return paths.Below
	}
	return paths.Above
}

const fullPercent = 100

// watchedOf is a counter of a set; none if the set does not have it.
func watchedOf(numbers *pane.Numbers, set *session.Counterset, counter int) watched {
	if set == nil || counter < 0 || counter >= len(set.Counters) {
		return watched{look: session.Look{Format: cooker.Format{Digits: cooker.DefaultDigits, Style: cooker.UnitWindows}}}
	}
	return watched{Counter: &set.Counters[counter], look: numbers.Look(set, counter)}
}

// watchedIn is what an alert is about: what a formula gives is of no counter.
func watchedIn(numbers *pane.Numbers, a *alert.Alert) watched {
	set := a.Set
	if a.Rule.Value != nil {
		set = nil
	}
	c := watchedOf(numbers, set, a.Counter)
	c.per = a.Rule.UnitSuffix()
	return c
}

// watchedBy is the counter of a target.
func watchedBy(desk *pane.Desk, t pane.Target) watched {
	if t.Set == nil {
		return watched{}
	}
	c := watchedOf(desk.NumbersOf(t.Host), t.Set, t.Counter)
	if d := t.Drawn(); d.Used != "" {
		if whole := d.LimitNow(t.Host.Snap, t.Key); whole > 0 {
			c.whole = whole
			c.look.Format = cooker.Format{Style: c.look.Style, Quantity: cooker.Quantity{Kind: cooker.Percent}, Digits: cooker.DefaultDigits}
		}
	}
	return c
}

// withUnit writes a value of the rule as screens do.
func (c watched) withUnit(v cooker.Value) string {
	c.look.Scale = 0 // rules hold unscaled values
	return string(cooker.AppendValue(nil, c.seen(v), c.look.Format)) + c.per
}

// measure is how a limit is written in a field: in the unit in which its row
// shows the value. Rules hold unscaled values.
type measure struct {
	quantity cooker.Quantity
	style    cooker.UnitStyle
	unit     cooker.Unit
	scale    int // the row shows values times 10^scale
	hex      bool
}

// measureOf is that of a value whose window reaches up to largest.
func measureOf(desk *pane.Desk, t pane.Target, c watched, largest float64) measure {
	if c.whole > 0 {
		return measure{quantity: c.look.Quantity, style: c.look.Style, unit: c.look.Unit(largest)}
	}
	unit, look := pane.NewUnits(desk.NumbersOf(t.Host)).Choose(t.UnitKey(), largest, desk.Now())
	if look.IsHex() {
		return measure{hex: true}
	}
	return measure{quantity: look.Quantity, style: look.Style, unit: unit, scale: look.Scale}
}

// label is what stands beside the field.
func (m measure) label() string {
	if m.scale == 0 {
		return m.unit.Label
	}
	return strings.TrimSpace(m.unit.Label + " x10^" + strconv.Itoa(-m.scale))
}

// factor is what one of the field is worth.
func (m measure) factor() float64 { return cmp.Or(m.unit.Factor, 1) / pane.Power(m.scale) }

// text writes a value for the field, with the fewest digits that keep it.
func (m measure) text(v float64) string {
	if m.hex && v >= 0 && v < 1<<64 && v == math.Trunc(v) {
		return "0x" + strings.ToUpper(strconv.FormatUint(uint64(v), 16))
	}
	return plain(v / m.factor())
}

// plain writes a number with the fewest digits that 15 significant ones need:
// those behind them are noise of multiplying and dividing by units.
func plain(v float64) string {
	return cooker.Machine(tidy(v))
}

// tidy rounds to 15 significant digits, which every float64 keeps.
func tidy(v float64) float64 { return rounded(v, 15) }

// rounded is a number of so many significant digits.
func rounded(v float64, digits int) float64 {
	if out, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64); err == nil {
		v = out
	}
	return v
}

var (
	errNoNumber = errors.New("a number is missing")
	errInfinite = errors.New("the number is too large")
)

// parse reads what was typed: a number in the unit of the field, or with another
// unit of the kind behind it, as "25 ms". The result is unscaled.
func (m measure) parse(text string) (float64, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return 0, errNoNumber
	}
	if m.hex {
		if digits, ok := strings.CutPrefix(strings.ToLower(text), "0x"); ok {
			n, err := strconv.ParseUint(digits, 16, 64)
			if err != nil {
				return 0, fmt.Errorf("%.20q is no hexadecimal number", text)
			}
			return float64(n), nil
		}
	}
	number, unit := cutUnit(text)
	v, err := strconv.ParseFloat(number, 64)
	switch {
	case errors.Is(err, strconv.ErrRange) && math.IsInf(v, 0):
		return 0, errInfinite
	case err != nil && !errors.Is(err, strconv.ErrRange):
		return 0, fmt.Errorf("%.12q is no number, as 12.5 %s", text, cmp.Or(m.unit.Label, "is"))
	}
	factor := m.factor()
	if unit != "" && unit != m.unit.Label {
		f, ok := m.factorOf(unit)
		if !ok {
			return 0, fmt.Errorf("%.12q is no unit of it: there are %s", unit, strings.Join(m.units(), " "))
		}
		factor = f
	}
	if v = tidy(v * factor); math.IsInf(v, 0) {
		return 0, errInfinite
	}
	return v + 0, nil // -0 becomes 0
}

// cutUnit parts a number from the unit behind it.
func cutUnit(text string) (number, unit string) {
	end := strings.LastIndexAny(text, "0123456789.") + 1
	return strings.TrimSpace(text[:end]), strings.TrimSpace(text[end:])
}

// units are the labels of the units that such values are shown in.
func (m measure) units() (out []string) {
	m.eachUnit(func(u cooker.Unit) {
		if u.Label != "" && (len(out) == 0 || out[len(out)-1] != u.Label) {
			out = append(out, u.Label)
		}
	})
	if len(out) == 0 {
		out = []string{"none"}
	}
	return out
}

// eachUnit gives the units from the smallest on, some more than once.
func (m measure) eachUnit(take func(cooker.Unit)) {
	for magnitude := 1e-9; magnitude < 1e22; magnitude *= 2 {
		take(cooker.UnitFor(m.quantity, m.style, magnitude))
	}
}

// factorOf is what one of a unit is worth, by its label, or by a name that nothing
// is shown in, such as minutes.
func (m measure) factorOf(label string) (factor float64, ok bool) {
	m.eachUnit(func(u cooker.Unit) {
		if u.Label == label || !ok && paths.EqualFold(u.Label, label) {
			factor, ok = cmp.Or(u.Factor, 1), true
		}
	})
	if !ok {
		u, named := cooker.UnitNamed(m.quantity, label)
		return cmp.Or(u.Factor, 1), named
	}
	return factor, ok
}

// limitText writes a limit for people: with the unit that suits it, which a
// counter of percentages has in its name.
func limitText(v float64, c watched) string {
	switch {
	case c.Counter == nil:
		return plain(v) + c.per
	case c.whole > 0:
		seen, _ := c.seen(cooker.FloatValue(v)).Float()
		return plain(seen) + " %"
	case c.look.IsHex():
		return c.withUnit(cooker.FloatValue(v))
	}
	u := limitUnit(v, c)
	return strings.TrimSpace(inUnit(v, u, limitDigits)+" "+unitLabel(u, c.Counter)) + c.per
}

// The significant digits of limits: alone, and beside a value.
const (
	limitDigits  = 6
	besideDigits = 4
)

// limitUnit is the unit that suits a limit, or the counter's own where the
// number is shorter in it: 20000 MB are 19.5312 GB.
func limitUnit(v float64, c watched) cooker.Unit {
	c.look.Scale = 0
	u, own := c.look.Unit(v), c.look.Unit(0)
	if len(inUnit(v, own, limitDigits)) < len(inUnit(v, u, limitDigits)) {
		return own
	}
	return u
}

// unitLabel is the label of a unit where the counter's name does not say it.
func unitLabel(u cooker.Unit, c *session.Counter) string {
	if u.Label == "%" && strings.Contains(c.Name, "%") || u.Label == "/s" && strings.Contains(c.Name, "/sec") {
		return ""
	}
	return u.Label
}

// inUnit writes a number in a unit, to so many significant digits.
func inUnit(v float64, u cooker.Unit, digits int) string {
	return plain(rounded(v/cmp.Or(u.Factor, 1), digits))
}
