package query

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"perfdeck/session"
	"perfdeck/session/engine/link"
	"perfdeck/session/system/failure"
	"perfdeck/session/text/printable"
)

// answering is an engine that a handler stands for.
func answering(t testing.TB, l Limits, handle http.HandlerFunc) *Engine {
	t.Helper()
	server := httptest.NewServer(handle)
	t.Cleanup(server.Close)
	l.Apart = time.Nanosecond
	e, err := New(link.Engine{URL: server.URL, Agent: "perfdeck/test"}, l)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func says(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, text)
	}
}

// all are the series of an answer, as text.
func all(e *Engine) (string, Answer, error) {
	var b strings.Builder
	a, err := e.Instant(context.Background(), "up", time.UnixMilli(1500), func(s Series) error {
		for _, l := range s.Labels {
			fmt.Fprintf(&b, "%s=%s ", l.Name, l.Value)
		}
		for _, p := range s.Points {
			fmt.Fprintf(&b, "%d:%v ", p.At, p.Value)
		}
		b.WriteString("\n")
		return nil
	})
	return b.String(), a, err
}

func TestAnswers(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"vector": {
			`{"status":"success","data":{"resultType":"vector","result":[{"metric":{"__name__":"up","host":"a\"b\u00fc"},"value":[1435781451.781,"1"]},{"metric":{},"value":[1435781451,"NaN"]}]}}`,
			"__name__=up host=a\"bü 1435781451781:1 \n1435781451000:NaN \n",
		},
		"matrix": {
			`{"data":{"result":[{"values":[[1,"1e3"],[2.5,"+Inf"],[3,"-Inf"]],"metric":{"a":"b"}}],"resultType":"matrix"},"status":"success","isPartial":false}`,
			"a=b 1000:1000 2500:+Inf 3000:-Inf \n",
		},
		"scalar": {`{"status":"success","data":{"resultType":"scalar","result":[1,"7"]}}`, "1000:7 \n"},
		"none":   {`{"status":"success","data":{"resultType":"vector","result":[]}}`, ""},
		"null":   {`{"status":"success","data":{"resultType":"vector","result":null},"stats":{"deep":[{"a":[1,null,true]}]}}`, ""},
		"spaces": {"{ \"status\" : \"success\" , \"data\" : { \"result\" : [ { \"metric\" : { \"x\" : \"y\" , \"z\":\"\" } , \"value\" : [ 1 , \"2\" ] } ] } }", "x=y z= 1000:2 \n"},
		"histograms": {
			`{"status":"success","data":{"resultType":"vector","result":[{"metric":{"a":"h"},"histogram":[1,{"count":"3","buckets":[[0,"1","2","3"]]}]},{"metric":{"a":"n"},"value":[1,"2"]}]}}`,
			"a=n 1000:2 \n",
		},
	} {
		got, a, err := all(answering(t, Limits{}, says(c.text)))
		if err != nil || got != c.want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		if (name == "histograms") != (a.Histograms == 1) {
			t.Errorf("%s: %d histograms", name, a.Histograms)
		}
	}
}

// Series that were seen before are told by their places, whichever are gone or new between them.
func TestSeenBefore(t *testing.T) {
	names := func(text string) (out []string) {
		for name := range strings.SplitSeq(text, " ") {
			out = append(out, fmt.Sprintf(`{"metric":{"__name__":"m","host":%q},"value":[1,"2"]}`, name))
		}
		return out
	}
	now := "a b c d e"
	e := answering(t, Limits{}, func(w http.ResponseWriter, r *http.Request) {
		says(`{"status":"success","data":{"resultType":"vector","result":[`+strings.Join(names(now), ",")+`]}}`)(w, r)
	})
	var before Seen
	for _, c := range []struct{ now, want string }{
		{"a b c d e", "-1 -1 -1 -1 -1"}, {"a b c d e", "0 1 2 3 4"}, {"a c e", "0 2 4"}, {"x a c y e", "-1 0 1 -1 2"}, {"e x a", "4 -1 -1"}, {"e x", "0 1"},
	} {
		now = c.now
		var seen []string
		var after Seen
		_, err := e.InstantLike(t.Context(), "m", time.Time{}, before, func(s Series) error {
			if got := s.Labels.Get("host"); got != strings.Fields(c.now)[len(after)] || s.Seen >= 0 && &s.Labels[0] != &before[s.Seen][0] {
				t.Errorf("%s: %s is seen as %d", c.now, got, s.Seen)
			}
			seen, after = append(seen, strconv.Itoa(s.Seen)), append(after, slices.Clone(s.Labels))
			return nil
		})
		if got := strings.Join(seen, " "); err != nil || got != c.want {
			t.Errorf("%s: %s, not %s, %v", c.now, got, c.want, err)
		}
		before = after
	}
}

// What an engine tells besides comes along in its own words, made printable.
func TestWarnings(t *testing.T) {
	_, a, err := all(answering(t, Limits{}, says(`{"status":"success","isPartial":true,"warnings":["a store\u001b[2J is away"],"infos":["x"],"data":{"result":[]}}`)))
	if err != nil || !a.Partial || len(a.Warnings) != 1 || strings.Contains(a.Warnings[0], "\x1b") || !strings.Contains(a.Warnings[0], "is away") {
		t.Errorf("%+v, %v", a, err)
	}
}

func TestValues(t *testing.T) {
	e := answering(t, Limits{}, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/v1/label/host/values" || r.FormValue("match[]") != `{a="b"}` || r.FormValue("start") != "1.000" {
			http.Error(w, r.URL.String(), http.StatusTeapot)
			return
		}
		says(`{"status":"success","data":["a","b"]}`)(w, r)
	})
	var got []string
	_, err := e.Values(t.Context(), "host", `{a="b"}`, time.Unix(1, 0), time.Unix(2, 0), 0, func(s string) error { got = append(got, s); return nil })
	if err != nil || strings.Join(got, " ") != "a b" {
		t.Errorf("%q, %v", got, err)
	}
}

// Whatever comes in place of an answer is an error that says so, soon and in words that can
// be printed.
func TestBadAnswers(t *testing.T) {
	many := `{"status":"success","data":{"result":[` + strings.Repeat(`{"metric":{"a":"b"},"value":[1,"2"]},`, 20) + `{"metric":{},"value":[1,"2"]}]}}`
	cases := map[string]struct {
		limits Limits
		handle http.HandlerFunc
		says   string
	}{
		"page": {Limits{}, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<html>")
		}, "web page"},
		"hidden page": {Limits{}, says("<html>"), "no JSON"},
		"nothing":     {Limits{}, says(""), "ends in the middle"},
		"half":        {Limits{}, says(`{"status":"success","data":{"result":[{"metric"`), "ends in the middle"},
		"partial":     {Limits{}, says(`{"status":"success","isPartial":1,"data":{"result":[]}}`), "not what the API gives"},
		"infos":       {Limits{}, says(`{"status":"success","infos":[1],"data":{"result":[]}}`), "not what the API gives"},
		"other JSON":  {Limits{}, says(`[1,2]`), "not what the API gives"},
		"no status":   {Limits{}, says(`{"data":{"result":[]}}`), "no answer of Prometheus' API"},
		"error":       {Limits{}, says(`{"status":"error","errorType":"execution","error":"query \u001b[2Jtoo heavy"}`), "too heavy"},
		"refused": {Limits{}, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusUnprocessableEntity)
			fmt.Fprint(w, `{"status":"error","error":"many-to-many"}`)
		}, "422 Unprocessable Entity: many-to-many"},
		"redirect": {Limits{}, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://elsewhere.test/x?secret", http.StatusTemporaryRedirect)
		}, "redirects to http://elsewhere.test, which"},
		"many series":   {Limits{Series: 10}, says(many), "more than 10 series"},
		"many samples":  {Limits{Points: 10}, says(many), "more than 10 samples"},
		"many bytes":    {Limits{Bytes: 1 << 20}, says(`{"status":"success","data":{"result":[` + strings.Repeat(`{"metric":{"a":"b"},"value":[1,"2"]},`, 40_000)), "larger than 1 MB"},
		"value":         {Limits{}, says(`{"status":"success","data":{"result":[{"metric":{},"value":[1,2]}]}}`), "not what the API gives"},
		"no time":       {Limits{}, says(`{"status":"success","data":{"result":[{"metric":{},"value":["1","2"]}]}}`), "not what the API gives"},
		"far time":      {Limits{}, says(`{"status":"success","data":{"result":[{"metric":{},"value":[1e300,"2"]}]}}`), "not what the API gives"},
		"label":         {Limits{}, says(`{"status":"success","data":{"result":[{"metric":{"a":1},"value":[1,"2"]}]}}`), "not what the API gives"},
		"spaces":        {Limits{}, says(strings.Repeat(" ", 1<<20)), "nothing but spaces"},
		"spaces inside": {Limits{}, says(`{"status":"success","data":` + strings.Repeat(" \n\t", 1<<18)), "nothing but spaces"},
		"deep":          {Limits{}, says(`{"status":"success","data":{"result":[{"x":` + strings.Repeat("[", 20_000)), "not what the API gives"},
		"deep, skipped": {Limits{}, says(`{"status":"success","x":` + strings.Repeat("[", 20_000)), "not what the API gives"},
		"drip": {Limits{Within: time.Millisecond}, func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				fmt.Fprint(w, " ")
				w.(http.Flusher).Flush()
				time.Sleep(time.Millisecond)
			}
		}, "no answer within"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := all(answering(t, c.limits, c.handle))
			if err == nil || !strings.Contains(err.Error(), c.says) || printable.Text(err.Error()) != err.Error() || strings.Contains(err.Error(), "secret") {
				t.Errorf("%v", err)
			}
		})
	}
}

// Every failure says what can be done about it.
func TestHints(t *testing.T) {
	status := func(code int, text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(code)
			_, _ = io.WriteString(w, text)
		}
	}
	const apiError = `{"status":"error","error":"x"}`
	for name, c := range map[string]struct {
		limits Limits
		handle http.HandlerFunc
		hint   string
	}{
		"503":      {Limits{}, status(http.StatusServiceUnavailable, apiError), "later"},
		"422":      {Limits{}, status(http.StatusUnprocessableEntity, apiError), "limit"},
		"400":      {Limits{}, status(http.StatusBadRequest, apiError), "limit"},
		"404":      {Limits{}, status(http.StatusNotFound, ""), "/api/v1"},
		"no JSON":  {Limits{}, says("hello"), "/api/v1"},
		"half":     {Limits{}, says(`{"status":"success","data":{`), "log"},
		"other":    {Limits{}, says(`[]`), "doctor"},
		"error":    {Limits{}, says(apiError), "doctor"},
		"series":   {Limits{Series: 1}, says(`{"status":"success","data":{"result":[{"metric":{},"value":[1,"2"]},{"metric":{},"value":[1,"2"]}]}}`), "max_series"},
		"too slow": {Limits{Within: time.Millisecond}, func(_ http.ResponseWriter, r *http.Request) { _ = r.ParseForm(); <-r.Context().Done() }, "address"},
		"drips": {Limits{Within: time.Millisecond}, func(w http.ResponseWriter, r *http.Request) {
			_ = r.ParseForm()
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}, "timeout"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := all(answering(t, c.limits, c.handle))
			if !strings.Contains(failure.Hint(err), c.hint) {
				t.Errorf("%v: %q", err, failure.Hint(err))
			}
			if own, _ := errors.AsType[*Error](err); name == "503" && own.Brief() != "503 Service Unavailable" {
				t.Errorf("in brief: %q", own.Brief())
			}
		})
	}
	secure := httptest.NewTLSServer(says(""))
	defer secure.Close()
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	plain := httptest.NewServer(says(""))
	defer plain.Close()
	for url, hint := range map[string]string{secure.URL: "ca_file", "https" + strings.TrimPrefix(plain.URL, "http"): "prom+http://"} {
		e, err := New(link.Engine{URL: url}, Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := all(e); !strings.Contains(failure.Hint(err), hint) {
			t.Errorf("%s: %v: %q", url, err, failure.Hint(err))
		}
	}
}

// A series with a label beyond all bounds is left out, counted and told; the others stay.
func TestLongLabels(t *testing.T) {
	many := make([]string, mostLabels+1)
	for i := range many {
		many[i] = fmt.Sprintf(`"l%d":"x"`, i)
	}
	text := `{"status":"success","data":{"result":[{"metric":{"a":"` + strings.Repeat("x", mostLabelBytes+1) + `"},"value":[1,"2"]},` +
		`{"metric":{` + strings.Join(many, ",") + `},"value":[1,"2"]},{"metric":{"a":"b"},"value":[1,"2"]}]}}`
	got, a, err := all(answering(t, Limits{}, says(text)))
	if err != nil || got != "a=b 1000:2 \n" || a.LeftOut != 2 || len(a.Warnings) != 1 || !strings.Contains(a.Warnings[0], "2 of its series") {
		t.Errorf("%q, %+v, %v", got, a, err)
	}
}

// endless is spaces without an end.
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	e.read += len(p)
	return len(p), nil
}

// Spaces without an end are given up on soon.
func TestSpaces(t *testing.T) {
	limits := Limits{}
	limits.fill()
	from := &endless{}
	if _, err := newDecoder(from, &limits).series(func(Series) error { return nil }); err == nil || from.read > 1<<20 {
		t.Errorf("%d bytes, %v", from.read, err)
	}
}

// An engine that asks to be left alone is, for as long as it says and the bound allows, and
// that is told.
func TestRetryAfter(t *testing.T) {
	for after, want := range map[string]time.Duration{"30": 30 * time.Second, "86400": mostRest, "": 0, "x": 0} {
		asked := 0
		e := answering(t, Limits{}, func(w http.ResponseWriter, _ *http.Request) {
			asked++
			w.Header().Set("Retry-After", after)
			w.WriteHeader(http.StatusTooManyRequests)
			_, _ = io.WriteString(w, "too many of you")
		})
		now := time.Date(2026, 3, 2, 3, 12, 0, 0, time.Local)
		e.rest.now = func() time.Time { return now }
		ask := func(times int, hint string) {
			t.Helper()
			_, _, err := all(e)
			if err == nil || !strings.Contains(err.Error(), "too many of you") || !strings.Contains(failure.Hint(err), hint) || asked != times {
				t.Errorf("%q: asked %d times, %v: %q", after, asked, err, failure.Hint(err))
			}
		}
		ask(1, "asked again")
		if want == 0 {
			ask(2, "asked again")
			continue
		}
		until := now.Add(want).Format("at 15:04:05")
		now = now.Add(want - time.Second)
		ask(1, until)
		now = now.Add(time.Second)
		ask(2, "left alone")
	}
}

// Nothing that an engine says has what we proved who we are by, though the engine says it again.
func TestSaidAgain(t *testing.T) {
	const token, password = `s3cret/"t\ken`, `s3cret/"wörd`
	is := func(text string) func(context.Context) ([]byte, error) {
		return func(context.Context) ([]byte, error) { return []byte(text), nil }
	}
	proofs := map[string]link.Engine{"token": {Bearer: is(token)}, "password": {User: "ana", Password: is(password)}}
	inJSON := func(text string) string {
		out, err := json.Marshal("for " + strings.Repeat("x", 285) + text) // it is cut there
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	answers := map[string]func(w http.ResponseWriter, said string){
		"error": func(w http.ResponseWriter, said string) {
			fmt.Fprintf(w, `{"status":"error","error":%s}`, inJSON(said))
		},
		"warning": func(w http.ResponseWriter, said string) {
			fmt.Fprintf(w, `{"status":"success","data":{"result":[]},"warnings":[%s]}`, inJSON(said))
		},
		"refused": func(w http.ResponseWriter, said string) { http.Error(w, said, http.StatusForbidden) },
		"error refused": func(w http.ResponseWriter, said string) {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(w, `{"status":"error","error":%s}`, inJSON(said))
		},
		"no HTTP": func(w http.ResponseWriter, said string) {
			c, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				fmt.Fprintf(c, "HTTP/1.1 200 OK\r\n%s\r\n\r\n", said)
				_ = c.Close()
			}
		},
	}
	for kind, answer := range answers {
		for by, proof := range proofs {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, said, _ := r.BasicAuth()
				if said == "" {
					said = r.Header.Get("Authorization")
				}
				answer(w, said)
			}))
			proof.URL = server.URL
			e, err := New(proof, Limits{Apart: time.Nanosecond})
			if err != nil {
				t.Fatal(err)
			}
			_, a, err := all(e)
			server.Close()
			if said := fmt.Sprint(err, a.Warnings); strings.Contains(said, "s3c") || !strings.Contains(said, "***") {
				t.Errorf("%s, %s: %s", kind, by, said)
			}
		}
	}
}

func TestDenied(t *testing.T) {
	e := answering(t, Limits{}, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) })
	if _, _, err := all(e); !errors.Is(err, session.ErrDenied) || failure.Hint(err) == "" {
		t.Errorf("%v", err)
	}
}

// Where nobody listens no engine is there.
func TestNotThere(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	e, err := New(link.Engine{URL: gone.URL, Agent: "perfdeck/test"}, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := all(e); !errors.Is(err, session.ErrNotThere) {
		t.Errorf("%v", err)
	}
}

// What stops who takes the answer is told as it is: the engine did nothing wrong.
func TestOwnError(t *testing.T) {
	own := errors.New("more than 2 hosts")
	e := answering(t, Limits{}, func(w http.ResponseWriter, r *http.Request) {
		text := `{"status":"success","data":{"resultType":"vector","result":[{"metric":{"host":"a"},"value":[1,"2"]},{"metric":{"host":"b"},"value":[1,"2"]}]}}`
		if strings.HasSuffix(r.URL.Path, "/values") {
			text = `{"status":"success","data":["a","b"]}`
		}
		_, _ = w.Write([]byte(text))
	})
	if _, err := e.Instant(t.Context(), "up", time.Now(), func(Series) error { return own }); err == nil || err.Error() != own.Error() {
		t.Errorf("%v", err)
	}
	if _, err := e.Values(t.Context(), "host", "", time.Now(), time.Now(), 0, func(string) error { return own }); err == nil || err.Error() != own.Error() {
		t.Errorf("%v", err)
	}
}

// Who does not wait any more ends the query.
func TestCancelled(t *testing.T) {
	asked, gone := make(chan struct{}), make(chan struct{})
	e := answering(t, Limits{AtOnce: 1}, func(_ http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		close(asked)
		<-r.Context().Done()
		close(gone)
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-asked; cancel() }()
	_, err := e.Instant(ctx, "up", time.Now(), func(Series) error { return nil })
	<-gone
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestAddresses(t *testing.T) {
	for text, want := range map[string]string{
		"http://127.0.0.1:9090": "", "http://h/": "", "https://h/select/0/prometheus": "/select/0/prometheus", "https://h/p/api/v1/": "/p", "https://h/p/api/v1": "/p",
	} {
		if u, err := Parse(text); err != nil || u.Path != want {
			t.Errorf("%s: %v, %v", text, u, err)
		}
	}
	for _, text := range []string{"", "h:9090", "ftp://h", "http://", "http://ana:x@h", "http://h?x=1", "http://h#x", "http://h\x1b"} {
		if u, err := Parse(text); err == nil || failure.Hint(err) == "" {
			t.Errorf("%q is %v", text, u)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"a":"b\n"},"values":[[1,"2"],[3,"NaN"]]}]},"warnings":["x"]}`))
	f.Add([]byte(`{"status":"success","data":{"resultType":"scalar","result":[1,"2"]}}`))
	f.Add([]byte(`{"status":"success","data":{"result":[{"metric":{},"histogram":[1,{"count":"3"}]}]}}`))
	f.Add([]byte(`{"status":"error","error":"x"}`))
	limits := Limits{Series: 100, Points: 1000, Bytes: 1 << 16}
	limits.fill()
	f.Fuzz(func(t *testing.T, data []byte) {
		series, points := 0, 0
		a, err := newDecoder(strings.NewReader(string(data)), &limits).series(func(s Series) error {
			series++
			points += len(s.Points)
			if len(s.Labels) > mostLabels {
				t.Fatalf("%d labels", len(s.Labels))
			}
			for _, p := range s.Points {
				if math.Abs(float64(p.At)) > 1e15 {
					t.Fatalf("a sample of %d", p.At)
				}
			}
			return nil
		})
		if series > limits.Series || points > limits.Points || err == nil && a.Points < points {
			t.Fatalf("%d series, %d points, %+v", series, points, a)
		}
		_, _ = newDecoder(strings.NewReader(string(data)), &limits).values(func(string) error { return nil })
	})
}

// BenchmarkDecode is the answer for a fleet: 50,000 series of one sample each.
func BenchmarkDecode(b *testing.B) {
	var text strings.Builder
	text.WriteString(`{"status":"success","data":{"resultType":"vector","result":[`)
	for i := range 50_000 {
		if i > 0 {
			text.WriteByte(',')
		}
		fmt.Fprintf(&text, `{"metric":{"__name__":"windows_memory_available_bytes","host":"srv%04d","instance":"srv%04d:9182","job":"windows"},"value":[1700000000.123,"%d"]}`, i%5000, i%5000, i)
	}
	text.WriteString(`]}}`)
	limits := Limits{}
	limits.fill()
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := newDecoder(strings.NewReader(text.String()), &limits).series(func(Series) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}
