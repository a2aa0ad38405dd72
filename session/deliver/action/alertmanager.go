package action

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/config"
	"perfdeck/session/engine/prom"
	"perfdeck/session/system/backoff"
	"perfdeck/session/system/httpclient"
	"perfdeck/session/text/english"
	"perfdeck/session/text/printable"
)

const (
	alertsAPI = "/api/v2/alerts"
	// aheadRepeats is how long what fires lasts there unless it is repeated: two that are
	// lost end nothing. Prometheus has the same.
	aheadRepeats = 4
	usualRepeat  = time.Minute // that of Prometheus (--rules.alert.resend-delay)
	// endedFor is how long an end is repeated, for members that were away. Prometheus has
	// the same (resolvedRetention).
	endedFor  = 15 * time.Minute
	mostEnded = 10_000
	// mostPosted bounds the alerts of a request.
	mostPosted = 250
	// memberTime is for one request: other members wait for the answer.
	memberTime = 10 * time.Second
)

// PostedAlert is an alert as the API takes it.
type PostedAlert struct {
	Labels       map[string]string `json:"labels"`
	Annotations  map[string]string `json:"annotations,omitempty"`
	StartsAt     time.Time         `json:"startsAt"`
	EndsAt       time.Time         `json:"endsAt"`
	GeneratorURL string            `json:"generatorURL,omitempty"`
}

// cluster sends to a cluster of Prometheus' Alertmanagers, by its API v2. What fires is sent to each
// of them at once and again and again, with an end that lies ahead: what is not repeated ends there
// by itself. An end is sent for a while. One worker uses it, but for the fields of tellings.
type cluster struct {
	config.Alertmanager
	name    string // folded
	round   int    // of the config that it is from
	members []*member
	outage  outage // since a member last took something
	ended   []ending
}

// member is one Alertmanager of a cluster.
type member struct {
	caller
	failing time.Time // since when; zero: it takes what it is sent
	pauses  backoff.Pauses
	next    time.Time     // until when it is not tried, while others can be reached
	skew    time.Duration // how far its clock is ahead
	skewed  bool          // it was told that its clock differs
}

// ending is an end that is repeated.
type ending struct {
	id     alert.ID
	posted PostedAlert
}

// renewCluster gives a cluster what the config says of it now; false: nothing any more.
func (r *Runner) renewCluster(c *cluster) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	m, known := r.targets.Alertmanager(c.name)
	if known && c.round != r.round {
		c.round = r.round
		c.follow(m, r.targets.Fetch.secret("Alertmanager "+m.Name, cmp.Or(m.User, m.Name), m.Secret))
	}
	return known
}

// follow gives a cluster its Alertmanager anew. fetch gets its token, or the password of its user;
// nil: neither is sent.
func (c *cluster) follow(m config.Alertmanager, fetch func(context.Context) ([]byte, error)) {
	c.Alertmanager, c.members = m, nil
	c.Repeat = cmp.Or(c.Repeat, usualRepeat)
	secret := fetch
	if fetch != nil && m.User != "" {
		secret = func(ctx context.Context) ([]byte, error) { // the account and its password as a header has them
			password, err := fetch(ctx)
			if err != nil {
				return nil, err
			}
			defer clear(password)
			return []byte(basicWord + base64.StdEncoding.EncodeToString(append([]byte(m.User+":"), password...))), nil
		}
	}
	for _, address := range m.URLs {
		at := &member{pauses: newPauses()}
		at.follow(config.Webhook{URL: apiOf(address), CAFile: m.CAFile}, secret)
		at.limit = memberTime
		at.check = at.look
		c.members = append(c.members, at)
	}
}

// apiOf is where alerts are sent to at an address, with or without the path of the API.
func apiOf(address string) string {
	return strings.TrimSuffix(strings.TrimSuffix(address, "/"), alertsAPI) + alertsAPI
}

const basicWord = "Basic "

// Repeat has Alertmanagers told again and again, until the runner is closed, what they were
// told of and fires still: firing gives that. It is called once, before anything is
// delivered.
func (r *Runner) Repeat(firing func() []alert.Event) {
	r.firing = firing
	r.o.Go(r.repeat)
}

func (r *Runner) repeat() {
	last := map[string]time.Time{}
	for {
		next := time.Hour
		for name, every := range r.repeats() {
			wait := every - time.Since(last[name])
			if wait <= 0 {
				last[name], wait = time.Now(), every
				a := alert.Action{Do: alert.Alertmanager, Name: name}
				if p := r.poolOf(a); p != nil {
					if dropped := p.put(job{action: a, again: true}); dropped != nil {
						r.finish(*dropped, errFull)
					}
				}
			}
			next = min(next, wait)
		}
		select {
		case <-time.After(next):
		case <-r.changed:
		case <-r.closing.Done():
			return
		}
	}
}

// repeats are the Alertmanagers, and how often they are told.
func (r *Runner) repeats() map[string]time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := map[string]time.Duration{}
	for _, m := range r.targets.Alertmanagers {
		out[paths.Fold(m.Name)] = cmp.Or(m.Repeat, usualRepeat)
	}
	return out
}

// tellCluster sends what a job is about, again and again if need be; what is repeated is
// sent once.
func (r *Runner) tellCluster(c *cluster, j job) {
	if !j.again {
		o, over := c.outage, false
		r.keepAt(j, &o, func() error {
			if !r.renewCluster(c) {
				return errUnknown
			}
			alerts := c.ofNotice(&j.notice, r.firingOf(c))
			if over = len(alerts) == 0; over { // that it is done tells nothing of who is to take it
				c.outage, o = o, outage{}
			}
			return r.post(c, alerts)
		})
		if !over {
			c.outage = o
		}
		return
	}
	if !r.renewCluster(c) {
		return
	}
	err := r.post(c, c.ofAll(r.firingOf(c)))
	switch {
	case err == nil:
		r.over(&c.outage, j.action)
	case r.ctx.Err() == nil && c.outage.isNews(err, time.Now()):
		r.fail(j.action, err)
	}
}

// firingOf are the alerts that the cluster was told of and that fire still, by ID.
func (r *Runner) firingOf(c *cluster) map[alert.ID]*alert.Event {
	out := map[alert.ID]*alert.Event{}
	if r.firing == nil {
		return out
	}
	events := r.firing()
	for i := range events {
		if slices.ContainsFunc(events[i].Actions, func(a alert.Action) bool {
			return a.Do == alert.Alertmanager && paths.EqualFold(a.Name, c.name)
		}) {
			out[events[i].ID] = &events[i]
		}
	}
	return out
}

// ofNotice are the alerts of a notice. What is known to have ended since is left out, its
// own notice tells that.
func (c *cluster) ofNotice(n *alert.Notice, firing map[alert.ID]*alert.Event) (out []PostedAlert) {
	now := time.Now()
	for _, ev := range append([]alert.Event{n.Event}, n.More...) {
		c.ended = slices.DeleteFunc(c.ended, func(e ending) bool { return e.id == ev.ID })
		newest := firing[ev.ID]
		switch {
		case ev.Kind == alert.Cleared && newest != nil: // it fires again
		case ev.Kind == alert.Cleared:
			p := c.posted(&ev, ev.Time)
			c.ended = append(c.ended, ending{ev.ID, p})
			out = append(out, p)
		case newest != nil:
			out = append(out, c.posted(newest, now.Add(aheadRepeats*c.Repeat)))
		case now.Sub(ev.Time) < aheadRepeats*c.Repeat:
			out = append(out, c.posted(&ev, now.Add(aheadRepeats*c.Repeat)))
		}
	}
	c.ended = c.ended[max(0, len(c.ended)-mostEnded):]
	return out
}

// ofAll are all that fire, and what ended of late.
func (c *cluster) ofAll(firing map[alert.ID]*alert.Event) (out []PostedAlert) {
	now := time.Now()
	c.ended = slices.DeleteFunc(c.ended, func(e ending) bool { return firing[e.id] != nil || now.Sub(e.posted.EndsAt) > endedFor })
	for _, ev := range firing {
		out = append(out, c.posted(ev, now.Add(aheadRepeats*c.Repeat)))
	}
	for _, e := range c.ended {
		out = append(out, e.posted)
	}
	return out
}

// posted is an alert for the API. Its labels and its beginning are the same as long as it fires, and at its end:
// else it were another one.
func (c *cluster) posted(ev *alert.Event, to time.Time) PostedAlert {
	from := ev.Since
	if !from.Before(to) { // it takes none that ends when it begins
		from = to.Add(-time.Millisecond)
	}
	p := PostedAlert{Labels: maps.Clone(c.Labels), Annotations: annotations(ev), StartsAt: from.UTC(), EndsAt: to.UTC(), GeneratorURL: c.Link}
	if p.Labels == nil {
		p.Labels = map[string]string{}
	}
	put := func(name, value string) {
		if value != "" {
			p.Labels[name] = value
		}
	}
	in := session.Instance{Key: ev.ID.Key(), Index: ev.Index, Number: ev.Number}
	prom.EachAlertLabel(ev.ID.Host, ev.ID.Set, ev.ID.Counter, ev.Instance != "", &in, put)
	put("alertname", prom.LabelValue(ev.ID.Rule))
	put("severity", ev.Severity.String())
	return p
}

// annotations are what people read.
func annotations(ev *alert.Event) map[string]string {
	out := map[string]string{}
	put := func(name, text string) {
		if text != "" {
			out[name] = text
		}
	}
	told := *ev
	told.By, told.Held = "", ""
	if told.Kind == alert.Acked {
		told.Kind = alert.Fired
		put("acknowledged", "by "+fit(cmp.Or(ev.By, "a user")))
	}
	m := MessageOf(&alert.Notice{Event: told}, 0)
	m.each("annotation", put)
	return out
}

// post sends alerts to every member. It works if one of them took them: all are told again.
func (r *Runner) post(c *cluster, alerts []PostedAlert) error {
	if len(alerts) == 0 {
		return nil
	}
	var bodies [][]byte
	for batch := range slices.Chunk(alerts, mostPosted) {
		body, err := json.Marshal(batch)
		if err != nil {
			return &callError{host: c.name, reason: err.Error(), permanent: true, err: err}
		}
		bodies = append(bodies, body)
	}
	now := time.Now()
	tried := slices.DeleteFunc(slices.Clone(c.members), func(m *member) bool { return now.Before(m.next) })
	if !slices.ContainsFunc(tried, func(m *member) bool { return m.failing.IsZero() }) {
		tried = c.members // none is known to be well
	}
	errs := make([]error, len(tried))
	var all sync.WaitGroup
	for i, m := range tried {
		all.Add(1)
		r.o.Go(func() {
			defer all.Done()
			for _, body := range bodies {
				if errs[i] = m.call(r.ctx, "", body); errs[i] != nil {
					return
				}
			}
		})
	}
	all.Wait()
	if r.ctx.Err() != nil {
		return r.ctx.Err()
	}
	return r.judgeMembers(c, tried, errs)
}

// judgeMembers tells whether one member took it, and of those that did not.
func (r *Runner) judgeMembers(c *cluster, tried []*member, errs []error) error {
	worked, own := slices.Contains(errs, nil), alert.Action{Do: alert.Alertmanager, Name: c.name}
	var failed error
	for i, m := range tried {
		err := errs[i]
		if err == nil {
			m.failing, m.next = time.Time{}, time.Time{}
			m.pauses.Reset()
			r.over(&m.outage, own)
			if isFar := m.skew.Abs() > c.Repeat; isFar != m.skewed {
				m.skewed = isFar
				if isFar {
					r.fail(own, &skewError{hostOf(m.URL), m.skew})
				}
			}
			continue
		}
		now := time.Now()
		if m.failing.IsZero() {
			m.failing = now
		}
		m.next = now.Add(m.pauses.Next())
		answer, _ := errors.AsType[*callError](err)
		isFinal := answer != nil && answer.permanent
		if worked && (isFinal || now.Sub(m.failing) >= tellAfter) && m.outage.isNews(err, now) {
			r.fail(own, fmt.Errorf("%w; others of its cluster are told", err))
		}
		if before, ok := errors.AsType[*callError](failed); failed == nil || ok && before.permanent && !isFinal {
			failed = err
		}
	}
	if worked {
		return nil
	}
	return failed
}

// look tells answers of an Alertmanager from pages of what stands in its place, takes its
// words of what it refuses, and looks at its clock.
func (m *member) look(answer *http.Response, reply []byte, err error) error {
	if at, dateErr := http.ParseTime(answer.Header.Get("Date")); dateErr == nil {
		m.skew = time.Until(at).Round(time.Second)
	}
	isPage := httpclient.IsPage(answer.Header, reply)
	refused, _ := errors.AsType[*callError](err)
	switch {
	case err == nil && isPage:
		return &callError{host: hostOf(m.URL), reason: "a page answered, no Alertmanager"}
	case refused != nil && !isPage && answer.StatusCode >= 400:
		if words := m.words(reply); words != "" {
			refused.reason += ": " + words
		}
	}
	return err
}

// mostWords bounds what is shown of an answer.
const mostWords = 300

// words are what an answer says, without the secret that it may repeat.
func (m *member) words(reply []byte) string {
	var said struct {
		Message string `json:"message"`
	}
	var text string
	if json.Unmarshal(reply, &said) == nil && said.Message != "" {
		text = said.Message
	} else if json.Unmarshal(reply, &text) != nil {
		text = string(reply)
	}
	if m.token != "" {
		text = strings.ReplaceAll(text, strings.TrimPrefix(m.token, basicWord), "...")
	}
	text = strings.Join(strings.Fields(printable.Text(text)), " ")
	return text[:min(len(text), mostWords)]
}

// skewError says that the clock of an Alertmanager is not ours.
type skewError struct {
	host string
	skew time.Duration
}

func (e *skewError) Error() string {
	return "the clock of " + e.host + " is " + english.Ahead(e.skew) + " this computer's"
}

// Hint says what comes of it.
func (e *skewError) Hint() string { return "alerts end there too early or too late: set the clocks" }
