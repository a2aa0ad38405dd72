package query

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"perfdeck/session/engine/enginetest"
	"perfdeck/session/engine/link"
)

// What an engine is to know us by arrives, and no secret is in an error, though the engine says
// it again.
func TestWhoWeAre(t *testing.T) {
	good := enginetest.Secure(t, "asker", func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		got := r.Header.Get("Authorization")
		if !strings.HasPrefix(got, "Bearer ") {
			got = user + ":" + password
		}
		if r.TLS.PeerCertificates[0].Subject.CommonName == "asker" && r.Header.Get("X-Scope-Orgid") == "team" && (got == "Bearer s3cret-token" || got == "ana:s3cret-word") {
			fmt.Fprint(w, `{"status":"success","data":{"resultType":"vector","result":[]}}`)
			return
		}
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprintf(w, "%s %s not for %s", r.Header.Get("Authorization"), password, r.Header.Get("X-Scope-Orgid"))
	})
	good.Tenant = "team"
	is := func(text string) func(context.Context) ([]byte, error) {
		return func(context.Context) ([]byte, error) { return []byte(text), nil }
	}
	for _, c := range []struct {
		name  string
		works bool
		set   func(*link.Engine)
	}{
		{"a token", true, func(e *link.Engine) { e.Bearer = is("s3cret-token") }},
		{"a password", true, func(e *link.Engine) { e.User, e.Password = "ana", is("s3cret-word") }},
		{"another token", false, func(e *link.Engine) { e.Bearer = is("s3cret-other") }},
		{"another password", false, func(e *link.Engine) { e.User, e.Password = "ana", is("s3cret-other") }},
		{"another tenant", false, func(e *link.Engine) { e.Bearer, e.Tenant = is("s3cret-token"), "other" }},
		{"no client certificate", false, func(e *link.Engine) { e.Bearer, e.CertFile, e.KeyFile = is("s3cret-token"), "", "" }},
		{"no authority", false, func(e *link.Engine) { e.Bearer, e.CAFile = is("s3cret-token"), "" }},
	} {
		e := good
		c.set(&e)
		engine, err := New(e, Limits{Apart: time.Nanosecond})
		if err == nil {
			_, err = engine.Instant(t.Context(), "up", time.Time{}, func(Series) error { return nil })
		}
		if (err == nil) != c.works {
			t.Errorf("%s: %v", c.name, err)
		}
		if text := fmt.Sprintf("%v %+v", err, err); strings.Contains(text, "s3cret") {
			t.Errorf("%s: %s", c.name, text)
		}
	}
}
