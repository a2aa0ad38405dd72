package exporter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/engine/prom"
	"perfdeck/session/give/health"
	"perfdeck/session/system/failure"
	"perfdeck/session/system/guard"
	"perfdeck/session/text/printable"
)

// textFormat is the media type of the exposition.
const textFormat = "text/plain; version=0.0.4; charset=utf-8"

// Time that a scrape has: as its header says, less what the way back takes.
const (
	timeoutHeader  = "X-Prometheus-Scrape-Timeout-Seconds"
	usualTimeout   = 10 * time.Second
	longestTimeout = 2 * time.Minute
	wayBack        = 250 * time.Millisecond
)

// timeout is how long an answer may take. A header that is none counts as the usual time.
func timeout(r *http.Request) time.Duration {
	d := usualTimeout
	if seconds, err := strconv.ParseFloat(r.Header.Get(timeoutHeader), 64); err == nil && seconds > 0 && seconds <= longestTimeout.Seconds() {
		d = time.Duration(seconds * float64(time.Second))
	}
	return d - min(wayBack, d/4)
}

// refuse answers with an error and what to do about it.
func refuse(w http.ResponseWriter, code int, what, hint string) {
	text := "perfdeck: " + printable.Text(what)
	if hint != "" {
		text += "\nhint: " + printable.Text(hint)
	}
	http.Error(w, text, code)
}

// refusal is an error that an address brought about.
type refusal struct {
	code       int
	what, hint string
}

func (e *refusal) Error() string { return e.what }

// scrape bounds how many there are at a time, and how long each takes.
func (e *Exporter) scrape(answer func(context.Context, url.Values) ([]byte, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		select {
		case e.slots <- struct{}{}:
			defer func() { <-e.slots }()
		default:
			w.Header().Set("Retry-After", "1")
			refuse(w, http.StatusServiceUnavailable, fmt.Sprintf("%d scrapes are answered already", cap(e.slots)), "--max-scrapes allows more")
			return
		}
		query, err := url.ParseQuery(r.URL.RawQuery)
		if err != nil {
			refuse(w, http.StatusBadRequest, "the address has parameters that are none: "+err.Error(), "write what is no letter or digit as %XX")
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), timeout(r))
		defer cancel()
		body, err := answer(ctx, query)
		if err != nil {
			code, hint := http.StatusInternalServerError, ""
			if refused, ok := errors.AsType[*refusal](err); ok {
				code, hint = refused.code, refused.hint
			}
			refuse(w, code, err.Error(), hint)
			return
		}
		w.Header().Set("Content-Type", textFormat)
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		_, _ = w.Write(body) // who asked is gone else
	}
}

// metrics answers for the hosts that were named.
func (e *Exporter) metrics(ctx context.Context, query url.Values) ([]byte, error) {
	raw, err := only(query, "raw")
	if err != nil {
		return nil, err
	}
	out := e.begin()
	health.AddProcess(&out.own, e.since)
	o := e.o()
	answers := make([]*answer, len(o.Metrics))
	waits := make([]func(), len(answers))
	for i, name := range o.Metrics {
		answers[i] = &answer{name: name, raw: raw}
		asked := o.Asked
		asked.Also = o.Also[name]
		waits[i] = guard.Beside(func() { e.ask(ctx, answers[i], asked) })
	}
	for i, wait := range waits {
		wait()
		answers[i].addTo(out)
	}
	e.addSelf(&out.own)
	return e.finish(out, answers), nil
}

// probe answers for the host that the address names.
func (e *Exporter) probe(ctx context.Context, query url.Values) ([]byte, error) {
	raw, err := only(query, "raw", "target", "pack", "counterset", "path")
	if err != nil {
		return nil, err
	}
	names := query["target"]
	if len(names) != 1 || names[0] == "" {
		return nil, &refusal{http.StatusBadRequest, "no target is named, or several are", "/probe?target=HOST, once; /sd lists those that there are"}
	}
	target, ok := e.target(names[0])
	if !ok {
		return nil, &refusal{http.StatusForbidden, fmt.Sprintf("target %.100q: no such host may be asked for", names[0]), "hosts are those of the config and of --allow; /sd lists them"}
	}
	asked, err := e.askedOf(query)
	if err != nil {
		return nil, err
	}
	out := e.begin()
	a := &answer{name: target.Name, raw: raw}
	e.ask(ctx, a, asked)
	if _, isLookUp := errors.AsType[*lookUpError](a.err); isLookUp {
		return nil, &refusal{http.StatusNotFound, a.err.Error(), "perfdeck list -H HOST shows what there is"}
	}
	a.addTo(out)
	return e.finish(out, []*answer{a}), nil
}

// only finds out whether raw values are wanted, and refuses what means nothing.
func only(query url.Values, known ...string) (raw bool, err error) {
	for key := range query {
		if !slices.Contains(known, key) {
			return false, &refusal{http.StatusBadRequest, fmt.Sprintf("%.60q: no such parameter", key), "known: " + strings.Join(known, ", ")}
		}
	}
	switch text := query.Get("raw"); text {
	case "", "0", "false":
	case "1", "true":
		raw = true
	default:
		return false, &refusal{http.StatusBadRequest, fmt.Sprintf("raw=%.20q: neither 0 nor 1", text), ""}
	}
	return raw, nil
}

// askedOf are the questions of an address.
func (e *Exporter) askedOf(query url.Values) (Asked, error) {
	a := Asked{Sets: query["counterset"], Paths: query["path"]}
	for _, name := range query["pack"] {
		more, err := e.o().Pack(name)
		if err != nil {
			return a, &refusal{http.StatusBadRequest, err.Error(), failure.Hint(err)}
		}
		a.Paths = append(a.Paths, more...)
	}
	if len(a.Sets)+len(a.Paths) > maxPaths {
		return a, &refusal{http.StatusBadRequest, fmt.Sprintf("%d countersets and paths are more than %d", len(a.Sets)+len(a.Paths), maxPaths), "name countersets, or part the probe"}
	}
	for _, text := range query["path"] {
		if p, err := paths.Parse(text); err != nil {
			return a, &refusal{http.StatusBadRequest, fmt.Sprintf("path %.200q: %v", text, err), `write it as \Memory\Available Bytes, with %5C for \`}
		} else if p.Computer != "" {
			return a, &refusal{http.StatusBadRequest, fmt.Sprintf("path %.200q names a computer", text), "target= names the host"}
		}
	}
	return a, e.allow(a)
}

// allow refuses what is not for everybody.
func (e *Exporter) allow(a Asked) error {
	if open := e.o().Unauthenticated; open == nil || !open() {
		return nil
	}
	names := a.Sets
	if a.isEmpty() {
		names = prom.UsualSets()
	}
	for _, text := range a.Paths {
		p, err := paths.Parse(text)
		if err != nil {
			return &refusal{http.StatusBadRequest, err.Error(), ""}
		}
		names = append(slices.Clip(names), p.Object)
	}
	for _, name := range names {
		if !paths.ContainsFold(e.o().Exposed, name) {
			return &refusal{http.StatusForbidden, fmt.Sprintf("counterset %.100q is not given to whoever asks", name), "--expose names those that are; with an account of --web-config all are given"}
		}
	}
	return nil
}

// answer is what a host gave to a scrape.
type answer struct {
	name    string
	raw     bool
	err     error
	latency time.Duration // of the host's last answer
	missing []error       // what was asked for and is not there
	values  prom.Exposition
}

// ask has a host read and writes down what it gave.
func (e *Exporter) ask(ctx context.Context, a *answer, asked Asked) {
	defer e.count(a)
	h, err := e.host(a.name)
	if err != nil {
		a.err = err
		return
	}
	for range 3 { // it may be let go of at this moment
		p := h.probeFor(asked)
		a.err = p.read(ctx, h, func(s, rates *session.Snapshot) {
			e.render <- struct{}{}
			defer func() { <-e.render }()
			a.latency, a.missing = s.State.Latency, p.missing
			p.write(&a.values, h.name, s, rates, a.raw)
		})
		if !errors.Is(a.err, errClosed) {
			return
		}
	}
}

// page is an answer while it is made: what perfdeck tells of hosts goes by metric.
type page struct {
	comments []byte
	own      prom.Exposition
}

// The metrics of hosts.
var (
	buildInfo   = prom.Metric{Name: "perfdeck_exporter_build_info", Help: "Version of perfdeck."}
	hostLatency = prom.Metric{Name: "perfdeck_host_answer_seconds", Help: "How long the host took for its answer."}
	hostMissing = prom.Metric{Name: "perfdeck_host_missing_paths", Help: "How many of the countersets and paths that were asked for the host does not have."}
)

func (e *Exporter) begin() *page {
	p := &page{}
	p.own.Add(&buildInfo, []byte(`{version="`+prom.EscapeLabel(e.o().Version)+`"`), []byte("1"), 0)
	return p
}

// What an exporter tells of itself.
var (
	hostsAsked = prom.Metric{Name: "perfdeck_exporter_hosts", Help: "Hosts that are followed."}
	hostsUp    = prom.Metric{Name: "perfdeck_exporter_hosts_up", Help: "Hosts that are followed, and answer."}
	given      = prom.Metric{Name: "perfdeck_exporter_samples_total", Grows: true, Help: "Values that were given."}
	lost       = prom.Metric{Name: "perfdeck_exporter_errors_total", Grows: true, Help: "How often a host gave nothing."}
)

// count counts what came of a question.
func (e *Exporter) count(a *answer) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if a.err != nil {
		e.lost[reasonOf(a.err)]++
	}
	e.given += a.values.Len()
}

// addSelf tells what came of all questions so far.
func (e *Exporter) addSelf(to *prom.Exposition) {
	e.mu.Lock()
	defer e.mu.Unlock()
	up := 0
	for _, h := range e.hosts {
		if s := h.sampler.State(); s.Err == nil && s.Phase != session.Stale {
			up++
		}
	}
	add := func(m *prom.Metric, labels string, n int) {
		to.Add(m, []byte("{"+labels), strconv.AppendInt(nil, int64(n), 10), 0)
	}
	add(&hostsAsked, "", len(e.hosts))
	add(&hostsUp, "", up)
	add(&given, "", e.given)
	for _, reason := range []string{prom.Denied, prom.NoAnswer, prom.NotThere, prom.Failed} {
		add(&lost, prom.ReasonLabel+`="`+reason+`"`, e.lost[reason])
	}
}

// addTo tells of a host whether it answered.
func (a *answer) addTo(p *page) {
	labels := []byte(`{host="` + prom.EscapeLabel(a.name) + `"`)
	hostUp, hostDown := prom.HostMetrics()
	if a.err != nil {
		p.own.Add(hostUp, labels, []byte("0"), 0)
		p.own.Add(hostDown, append(slices.Clip(labels), `,`+prom.ReasonLabel+`="`+reasonOf(a.err)+`"`...), []byte("1"), 0)
		p.comments = fmt.Appendf(p.comments, "# perfdeck: %s\n", oneLine(a.err))
		return
	}
	p.own.Add(hostUp, labels, []byte("1"), 0)
	p.own.Add(&hostLatency, labels, prom.AppendFloat(nil, a.latency.Seconds()), 0)
	p.own.Add(&hostMissing, labels, strconv.AppendInt(nil, int64(len(a.missing)), 10), 0)
	for _, err := range a.missing {
		p.comments = fmt.Appendf(p.comments, "# perfdeck: %s: %s\n", printable.Text(a.name), oneLine(err))
	}
}

func oneLine(err error) string {
	return printable.Text(strings.ReplaceAll(err.Error(), "\n", " "))
}

// reasonOf is why a host gives nothing, as one of few words.
func reasonOf(err error) string {
	if _, ok := errors.AsType[*lookUpError](err); ok {
		return prom.NotThere
	}
	if errors.Is(err, errSilent) {
		return prom.NoAnswer
	}
	return prom.ReasonOf(err)
}

// finish writes the page: lines of a metric of several hosts stand together.
func (e *Exporter) finish(p *page, answers []*answer) []byte {
	e.render <- struct{}{}
	defer func() { <-e.render }()
	out := p.own.Append(p.comments)
	if len(answers) == 1 {
		return answers[0].values.Append(out)
	}
	var all prom.Exposition
	for _, a := range answers {
		all.Join(&a.values)
	}
	return all.Append(out)
}

// discover lists the targets as HTTP service discovery reads them.
func (e *Exporter) discover(w http.ResponseWriter, _ *http.Request) {
	type group struct {
		Targets []string          `json:"targets"`
		Labels  map[string]string `json:"labels"`
	}
	list := []group{}
	for _, t := range e.o().Targets {
		labels := map[string]string{}
		if len(t.Groups) > 0 {
			labels["__meta_perfdeck_groups"] = "," + strings.Join(t.Groups, ",") + ","
			labels["group"] = t.Groups[0]
		}
		list = append(list, group{[]string{t.Name}, labels})
	}
	text, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		refuse(w, http.StatusInternalServerError, err.Error(), "")
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(append(printable.EscapeJSON(text), '\n'))
}

// home says what there is.
func (e *Exporter) home(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	fmt.Fprintf(w, "perfdeck exporter %s\n\n/metrics\n/probe?target=HOST&pack=NAME, or counterset= or path=, and raw=1\n/sd\n/-/healthy\n", printable.Text(e.o().Version))
}
