package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/engine/prom"
	"perfdeck/session/engine/query"
)

// errUnknown says that a host was not found yet.
var errUnknown = errors.New("the engine has not told of the host yet")

// bandLabel tells the answers of one query apart: by which of the values, and what of it.
const bandLabel = "perfdeck_band"

// statistics are what a band has, as functions of PromQL over a range.
var statistics = [...]string{"min_over_time", "max_over_time", "avg_over_time"}

// mostQuery is how long a query may be. VictoriaMetrics refuses those over 16 KiB
// (-search.maxQueryLen).
const mostQuery = 12 << 10 // bytes

// Bands implements session.Historian: the engine works them out, by one query for as many
// values as fit into one. Values are what its recipes make of raw samples by the engine's
// clock, over a window as long as a band is fine: see cooker.CounterType.PromQL.
func (s *Source) Bands(ctx context.Context, of []session.Valued, from, to time.Time, step time.Duration) ([][]session.Band, error) {
	s.mu.Lock()
	host, l := s.host, s.list
	s.mu.Unlock()
	if l == nil {
		return nil, errUnknown
	}
	apart, err := s.hub.apart(ctx, &host)
	if err != nil {
		return nil, err
	}
	step = max(step.Truncate(time.Second), time.Second, apart)
	ahead := s.hub.Ahead()
	from, to = from.Add(ahead), to.Add(ahead)
	made := make([]banded, len(of))
	for _, expressions := range l.bandQueries(&host, of, step, apart) {
		_, err := s.hub.engine.Range(ctx, expressions, from.Add(step), to, step, func(one query.Series) error {
			var i, rank, n int
			if read, _ := fmt.Sscanf(one.Labels.Get(bandLabel), "%d %d %d", &i, &rank, &n); read < 3 || i < 0 || i >= len(of) || !l.isOf(of[i], one.Labels) {
				return nil
			}
			for _, p := range one.Points {
				p.At -= ahead.Milliseconds()
				made[i].put(rank, p, n, step)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return wholeBands(made), nil
}

// bandQueries ask for the statistics of values, as many at once as an engine takes.
func (l *list) bandQueries(host *Host, of []session.Valued, step, apart time.Duration) (out []string) {
	var text strings.Builder
	for i, v := range of {
		for rank, e := range l.expressions(host.parts, v, oneInstance(v), max(step/finest, apart*5/2)) {
			for n, statistic := range statistics {
				part := fmt.Sprintf(`label_replace(%s, %q, "%d %d %d", "", "")`, e.over(statistic, step, max(step/finest, apart)), bandLabel, i, rank, n)
				switch {
				case text.Len() == 0:
				case text.Len()+len(part) > mostQuery:
					out = append(out, text.String())
					text.Reset()
				default:
					text.WriteString(" or ")
				}
				text.WriteString(part)
			}
		}
	}
	if text.Len() > 0 {
		out = append(out, text.String())
	}
	return out
}

// wholeBands are the bands of which all is known, in the order of time.
func wholeBands(made []banded) [][]session.Band {
	out := make([][]session.Band, len(made))
	for i := range made {
		for _, b := range made[i].bands {
			if whole := b.Low + b.High + b.Mean; cooker.IsFinite(whole) {
				out[i] = append(out[i], *b)
			}
		}
		slices.SortFunc(out[i], func(a, b session.Band) int { return cmp.Compare(a.End, b.End) })
	}
	return out
}

// finest is into how many parts a band is divided at most, to find its lowest and highest.
const finest = 30

// banded is what an engine tells of a value: by what says it best of what there is.
type banded struct {
	rank  int
	bands map[int64]*session.Band
}

// put adds one of the statistics to the band of its step.
func (of *banded) put(rank int, p query.Point, statistic int, step time.Duration) {
	switch {
	case of.bands == nil, rank < of.rank:
		of.rank, of.bands = rank, map[int64]*session.Band{}
	case rank > of.rank:
		return
	}
	b := of.bands[p.At]
	if b == nil {
		end := p.At * int64(time.Millisecond)
		b = &session.Band{Begin: end - int64(step), End: end, Low: math.NaN(), High: math.NaN(), Mean: math.NaN()}
		of.bands[p.At] = b
	}
	if in := [...]*float64{&b.Low, &b.High, &b.Mean}; statistic >= 0 && statistic < len(in) {
		*in[statistic] = p.Value
	}
}

// apart is how far samples of a host are from each other. Where nothing was read of any host
// yet, it is asked for.
func (h *Hub) apart(ctx context.Context, host *Host) (time.Duration, error) {
	h.mu.Lock()
	seen := h.spacing
	h.mu.Unlock()
	if seen > 0 {
		return seen, nil
	}
	const usual = 15 * time.Second
	heard, err := h.samples(ctx, host, askAlive, aliveEvery)
	if err != nil || heard.gap > 0 {
		return cmp.Or(heard.gap, usual), err
	}
	h.mu.Lock()
	seldom := time.Since(h.sought) > lookBack
	if seldom {
		h.sought = time.Now()
	}
	h.mu.Unlock()
	if !seldom {
		return usual, nil
	}
	for _, p := range host.parts { // a minute or more, perhaps
		got, err := h.ask(ctx, &asked{label: p.label.Name, metrics: askAlive.joined(), names: []string{p.label.Value}, back: lookBack})
		if err != nil {
			return usual, err
		}
		if _, gap := got.samplesOf(p.label.Value); gap > 0 {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.spacing = gap
			return gap, nil
		}
	}
	return usual, nil
}

// Ahead is what the engine's clock is ahead of this computer's, as far as it was asked: see AskAhead.
func (h *Hub) Ahead() time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.clock.ahead.Round(time.Second)
}

// expression is a value in PromQL: a selector with what its samples are divided by, or made
// of others.
type expression struct {
	text   string
	scale  float64 // of a selector; 0: it is none
	whence string  // how instances are joined; empty: it is one
}

// over is a statistic of the expression over a range, looked at so often.
func (e expression) over(statistic string, length, often time.Duration) string {
	out := e.whole()
	switch {
	case e.scale == 0: // what is divided by nothing is left out
		out = "(" + e.text + ") >= 0"
	case e.whence == "":
		e.text = statistic + "(" + e.text + "[" + seconds(length) + "])"
		return e.whole()
	}
	if e.whence != "" {
		out = e.whence + " (" + out + ")"
	}
	return statistic + "((" + out + ")[" + seconds(length) + ":" + seconds(often) + "])"
}

func seconds(d time.Duration) string {
	return strconv.FormatInt(max(1, int64(d/time.Second)), 10) + "s"
}

// instances are the matchers of those whose series are meant, as far as labels tell.
type instances func(*part, *series) string

// oneInstance is that of a value; one that is made here is of all.
func oneInstance(v session.Valued) instances {
	return func(p *part, s *series) string {
		if p.isMade(v) {
			return ""
		}
		return s.instanceMatchers(v)
	}
}

// expressions are those of a value on parts of a host, what says it best first.
func (l *list) expressions(parts []part, v session.Valued, of instances, window time.Duration) (out []expression) {
	type from struct {
		rank uint8
		part *part
		of   []series
	}
	var all []from
	for i := range parts {
		p := &parts[i]
		for _, s := range l.index.byCounter[place{v.Set.Name, v.Counter}] {
			if !s.isOf(p.kinds) {
				continue
			}
			at := slices.IndexFunc(all, func(f from) bool { return f.part == p && f.rank == s.rank(p.kinds) })
			if at < 0 {
				at = len(all)
				all = append(all, from{rank: s.rank(p.kinds), part: p})
			}
			all[at].of = append(all[at].of, s)
		}
	}
	slices.SortStableFunc(all, func(a, b from) int { return cmp.Compare(a.rank, b.rank) })
	for _, f := range all {
		if e, ok := l.expression(f.part, v, f.of, of, window); ok {
			out = append(out, e)
		}
	}
	return out
}

// expression is what series of a part say of a value. Where several say it, those that are
// there do; ok is false where one expression cannot.
func (l *list) expression(p *part, v session.Valued, from []series, which instances, window time.Duration) (e expression, ok bool) {
	var of []string // recipes that add up
	for _, one := range from {
		made, ok := l.one(p, v, one, which, seconds(window))
		switch {
		case !ok && one.adds:
			return expression{}, false
		case !ok:
		case one.adds:
			of = append(of, without(one.labels, made.whole()))
		case e.text == "":
			e = made
		default:
			e = expression{text: "(" + e.whole() + ") or (" + made.whole() + ")"}
		}
	}
	if len(of) > 0 {
		e = expression{text: strings.Join(of, " + ")}
	}
	if p.isMade(v) {
		e.whence = "sum"
		if isAveraged(v.Set, v.Counter) {
			e.whence = "avg"
		}
	}
	return e, e.text != ""
}

// without takes labels that tell series apart which add up out of an expression.
func without(labels []prom.Label, of string) string {
	if len(labels) == 0 {
		return of
	}
	names := make([]string, len(labels))
	for i, l := range labels {
		names[i] = l.Name
	}
	return "sum without (" + strings.Join(names, ",") + ") (" + of + ")"
}

// whole is the expression by itself.
func (e expression) whole() string {
	if e.scale == 0 || e.scale == 1 {
		return e.text
	}
	return e.text + " / " + strconv.FormatFloat(e.scale, 'f', -1, 64)
}

// one is what series of a metric say of a value.
func (l *list) one(p *part, v session.Valued, s series, which instances, window string) (expression, bool) {
	c := &v.Set.Counters[v.Counter]
	hosts := p.matcher()
	matchers := hosts + s.labelMatchers() + which(p, &s)
	selector := s.metric + "{" + matchers + "}"
	switch {
	case s.form == cookedForm:
		return expression{text: selector, scale: s.scale}, true
	case s.names != nil && s.timer == cooker.Clock100ns && isByClock(s.names.Shape) && p.kinds&ofPerfdeck == 0:
		return expression{text: share(selector, window)}, true
	case s.names != nil:
		_, over, ok := s.names.RecipeOf(v.Set, v.Counter, matchers, hosts, window)
		return expression{text: over}, ok
	case s.form == momentForm:
		return expression{text: "time() - " + selector}, true
	}
	from := cooker.RawSeries{N: selector, Amount: s.scale}
	timed := s.scale == ofTimer
	if timed {
		from.Amount = 0
	}
	for _, base := range l.index.bases[place{v.Set.Name, v.Counter}] {
		switch {
		case base.kinds != s.kinds || from.B != "":
		case base.adds || s.adds:
			return expression{}, false // a quotient of sums
		default:
			from.B = base.metric + "{" + matchers + "}"
		}
	}
	_, over, ok := c.Type.PromQL(from, window)
	if !ok && timed && from.B == "" { // a share of the time by the clock of the object
		return expression{text: share(selector, window)}, true
	}
	return expression{text: over}, ok
}

// share is what seconds grow by in a second, in per cent.
func share(selector, window string) string { return "100 * rate(" + selector + "[" + window + "])" }

// labelMatchers select by the labels of its own.
func (s *series) labelMatchers() string {
	var out strings.Builder
	for _, l := range s.labels {
		fmt.Fprintf(&out, ",%s=%q", l.Name, l.Value)
	}
	return out.String()
}

// instanceMatchers select the series of an instance, as far as labels can.
func (s *series) instanceMatchers(v session.Valued) (out string) {
	if !v.Set.Instances.Multiple() || s.instance == allLabels {
		return ""
	}
	if s.named == nil {
		out = "," + s.instance + "=" + strconv.Quote(v.Key.Name)
	}
	if s.names != nil {
		out += ",parent=" + strconv.Quote(v.Key.Parent)
	}
	if v.Key.ID > 0 && (s.names != nil || s.instance == "process") {
		out += `,process_id="` + strconv.FormatUint(v.Key.ID, 10) + `"`
	}
	return out
}

// isOf tells whether series of an answer are those of a value: names of instances are not
// always labels.
func (l *list) isOf(v session.Valued, labels query.Labels) bool {
	if !v.Set.Instances.Multiple() {
		return true
	}
	for _, s := range l.index.byCounter[place{v.Set.Name, v.Counter}] {
		if s.instance != allLabels && s.named == nil || s.instanceOf(labels) == v.Key.Name || labels.Get(s.instance) == "" {
			return true
		}
	}
	return false
}

// isMade tells that a value is that of a _Total which is made here: of hosts of perfdeck's
// there is one.
func (p *part) isMade(v session.Valued) bool {
	return p.kinds&ofPerfdeck == 0 && v.Key.Name == totalName && isTotalled(v.Set)
}

var _ session.Historian = (*Source)(nil)
