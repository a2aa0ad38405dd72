package query

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"perfdeck/session/engine/link"
	"perfdeck/session/engine/prom"
	"perfdeck/session/text/english"
)

// Bounds of one answer that are not for the user to set.
const (
	mostLabels      = 128     // of a series
	mostLabelBytes  = 8 << 10 // of a name, or a value
	mostWarnings    = 20
	mostInterned    = 100_000 // names and values of labels that are kept once
	longestInterned = 128     // bytes
)

// decodeError says what is wrong with an answer.
type decodeError struct{ why, advice string }

func (e *decodeError) Error() string { return e.why }

func wrongAnswer(format string, args ...any) error {
	return &decodeError{why: fmt.Sprintf(format, args...)}
}

// advised is an answer that cannot be used, with what can be done about it.
func advised(advice, format string, args ...any) error {
	return &decodeError{fmt.Sprintf(format, args...), advice}
}

// counted counts what is read.
type counted struct {
	io.Reader

	to *atomic.Uint64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.to.Add(uint64(n))
	return n, err
}

// decoder reads one answer of the API: {"status":..,"data":..,"warnings":[..]}.
type decoder struct {
	in     *scanner
	left   *io.LimitedReader // nothing is left: the answer is too large
	limits *Limits
	to     *http.Request // that is answered; nil: it proved nothing
	answer Answer
	known  map[string]string // names and values of labels

	// Of the series that is read.
	points     []Point
	labels     Labels
	histograms bool
	isTooLong  bool // a label is

	before Seen // most likely it is these again, in this order
	next   int  // of before
	status string
	said   string // of an error
	own    error  // of who takes the answer: it is not the engine's
}

func newDecoder(r io.Reader, l *Limits) *decoder {
	left := &io.LimitedReader{R: r, N: l.Bytes + 1}
	return &decoder{in: newScanner(left), left: left, limits: l, known: map[string]string{}}
}

// series reads an answer whose data are series.
func (d *decoder) series(each func(Series) error) (Answer, error) {
	err := d.whole(func() error {
		kind := ""
		return d.in.object(func(key []byte) error {
			switch string(key) {
			case "resultType":
				return d.textTo(&kind)
			case "result":
				return d.result(kind, each)
			}
			return d.in.skip(0)
		})
	})
	return d.answer, err
}

// values reads an answer whose data are texts.
func (d *decoder) values(each func(string) error) (Answer, error) {
	err := d.whole(func() error {
		return d.texts(func(text string) error {
			if d.answer.Series++; d.answer.Series > d.limits.Series {
				return wrongAnswer("it has more than %d values", d.limits.Series)
			}
			d.own = each(text)
			return d.own
		})
	})
	return d.answer, err
}

// whole reads the object that every answer is; data reads what it is about.
func (d *decoder) whole(data func() error) error {
	if c, err := d.in.next(); err == nil && strings.IndexByte(`{["-0123456789`, c) < 0 {
		return advised(addressAdvice, "its answer is no JSON")
	}
	err := d.in.object(func(key []byte) error {
		switch string(key) {
		case "status":
			return d.textTo(&d.status)
		case "error":
			return d.textTo(&d.said)
		case "isPartial": // VictoriaMetrics
			return d.in.bool(&d.answer.Partial)
		case "warnings", "infos":
			isWarning := string(key) == "warnings" // the key is gone with what is read
			return d.texts(func(text string) error {
				if isWarning && len(d.answer.Warnings) < mostWarnings {
					d.answer.Warnings = append(d.answer.Warnings, link.Words(d.to, []byte(text)))
				}
				return nil
			})
		case "data":
			return data()
		}
		return d.in.skip(0)
	})
	if n := d.answer.LeftOut; n > 0 {
		d.answer.Warnings = append(d.answer.Warnings, fmt.Sprintf("%d of its series are left out: more than %d labels, or one longer than %s", n, mostLabels, english.Size(mostLabelBytes)))
	}
	switch {
	case err != nil:
		return d.judged(err)
	case d.status == "error":
		return wrongAnswer("it says %s", link.Words(d.to, []byte(d.said)))
	case d.status != "success":
		return wrongAnswer("it is no answer of Prometheus' API")
	}
	return nil
}

// judged is an error of the decoder in words.
func (d *decoder) judged(err error) error {
	switch {
	case d.left.N == 0:
		return advised("ask for less, or set max_bytes of the [[engine]] in the config", "its answer is larger than %s", english.Size(d.limits.Bytes))
	case errors.Is(err, errShape):
		return wrongAnswer("its answer is not what the API gives, at byte %d", d.in.passed+d.in.at)
	}
	return err
}

// textTo reads a text that is kept.
func (d *decoder) textTo(to *string) error {
	text, err := d.in.text()
	*to = strings.ToValidUTF8(string(text), "\uFFFD")
	return err
}

// texts reads a list of texts, or null.
func (d *decoder) texts(each func(string) error) error {
	return d.list(func() error {
		var text string
		if err := d.textTo(&text); err != nil {
			return err
		}
		return each(text)
	})
}

// list reads a list, or null.
func (d *decoder) list(each func() error) error {
	if is, err := d.in.isNull(); is || err != nil {
		return err
	}
	return d.in.list(each)
}

// result reads vectors, matrices and scalars.
func (d *decoder) result(kind string, each func(Series) error) error {
	if kind == "scalar" || kind == "string" {
		one, err := d.in.point()
		if err != nil {
			return err
		}
		d.answer.Series, d.answer.Points = 1, 1
		d.own = each(Series{Points: []Point{one}, Seen: -1})
		return d.own
	}
	return d.list(func() error {
		if err := d.element(); err != nil {
			return err
		}
		d.answer.Series++
		d.answer.Points += len(d.points)
		if d.histograms {
			d.answer.Histograms++
		}
		switch {
		case d.answer.Series > d.limits.Series:
			return advised("ask for less, or set max_series of the [[engine]] in the config", "its answer has more than %d series", d.limits.Series)
		case d.answer.Points > d.limits.Points:
			return d.errPoints()
		case d.histograms && len(d.points) == 0:
			return nil
		case d.isTooLong:
			d.answer.LeftOut++
			return nil
		}
		d.own = each(d.seen())
		return d.own
	})
}

func (d *decoder) errPoints() error {
	return advised("ask for a shorter time", "its answer has more than %d samples", d.limits.Points)
}

// element reads one of a result: a series with a point or several.
func (d *decoder) element() error {
	d.labels, d.points, d.histograms, d.isTooLong = d.labels[:0], d.points[:0], false, false
	return d.in.object(func(key []byte) error {
		switch string(key) {
		case "metric":
			return d.metric()
		case "value":
			return d.point()
		case "values":
			return d.in.list(d.point)
		case "histogram", "histograms":
			d.histograms = true
		}
		return d.in.skip(0)
	})
}

// metric reads the labels of a series. One with more than there is room for is passed over.
func (d *decoder) metric() error {
	return d.in.object(func(key []byte) error {
		value, err := d.in.text()
		if err != nil {
			return err
		}
		if len(d.labels) == mostLabels || len(value) > mostLabelBytes || len(key) > mostLabelBytes {
			d.isTooLong = true
			return nil
		}
		d.labels = append(d.labels, d.label(key, value))
		return nil
	})
}

// point reads a sample of a series.
func (d *decoder) point() error {
	if len(d.points) == d.limits.Points {
		return d.errPoints()
	}
	p, err := d.in.point()
	d.points = append(d.points, p)
	return err
}

// label is the next label of a series: of most it is the one that was there before.
func (d *decoder) label(name, value []byte) prom.Label {
	if d.next < len(d.before) {
		if was := d.before[d.next]; len(d.labels) < len(was) {
			if l := was[len(d.labels)]; l.Name == string(name) && l.Value == string(value) {
				return l
			}
		}
	}
	return prom.Label{Name: d.intern(name), Value: d.intern(value)}
}

// seenAhead is how many of the series before are passed over to find one: those that are gone.
const seenAhead = 8

// seen is the series that was read.
func (d *decoder) seen() Series {
	for i := d.next; i < min(d.next+seenAhead, len(d.before)); i++ {
		if slices.Equal(d.before[i], d.labels) {
			d.next = i + 1
			return Series{d.before[i], d.points, i}
		}
	}
	return Series{d.labels, d.points, -1}
}

// intern is a text, of which many are alike.
func (d *decoder) intern(text []byte) string {
	if known, ok := d.known[string(text)]; ok {
		return known
	}
	s := string(text)
	if len(s) <= longestInterned && len(d.known) < mostInterned {
		d.known[s] = s
	}
	return s
}

// The moments that a sample may be of, in seconds: year 1 to 9999.
const (
	firstSecond = -62135596800
	lastSecond  = 253402300799
)

// point is [seconds,"value"].
func (s *scanner) point() (p Point, err error) {
	if err := s.need('['); err != nil {
		return p, err
	}
	at, err := s.number()
	if err != nil {
		return p, err
	}
	if at < firstSecond || at > lastSecond {
		return p, errShape
	}
	p.At = int64(at*1000 + 0.5)
	if err := s.need(','); err != nil {
		return p, err
	}
	text, err := s.text()
	if err != nil {
		return p, err
	}
	if p.Value, err = strconv.ParseFloat(string(text), 64); err != nil && !errors.Is(err, strconv.ErrRange) {
		return p, errShape
	}
	return p, s.need(']')
}
