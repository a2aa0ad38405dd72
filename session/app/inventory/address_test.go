package inventory

import (
	"errors"
	"strings"
	"testing"

	"perfdeck/session/system/failure"
)

func TestParseAddress(t *testing.T) {
	for text, want := range map[string]address{
		"srv1":                  {"srv1", 445, false},
		"srv1.corp:1445":        {"srv1.corp", 1445, false},
		"10.0.0.1":              {"10.0.0.1", 445, false},
		"[2001:db8::1]:1445":    {"2001:db8::1", 1445, false},
		"[2001:db8::1]":         {"2001:db8::1", 445, false},
		"2001:db8::1":           {"2001:db8::1", 445, false},
		"tcp://srv1":            {"srv1", 14500, true},
		"tcp://srv1:99":         {"srv1", 99, true},
		"tcp://[2001:db8::1]":   {"2001:db8::1", 14500, true},
		"tcp://[2001:db8::1]:9": {"2001:db8::1", 9, true},
	} {
		if got, err := parseAddress(text); err != nil || got != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", ":445", "srv1:", "srv1:0", "srv1:70000", "srv1:http", "a:b:c", "http://srv1", `\\srv1`, "srv 1", "tcp://", "[srv1", `Memory\x`, "srv1/x", "*"} {
		if got, err := parseAddress(text); err == nil {
			t.Errorf("%q: %+v", text, got)
		}
	}
	for text, want := range map[string]string{
		`\\sql01`: "write sql01,", `\\sql01\Memory\Available MBytes`: "write sql01,", "smb://sql01": "write sql01,", "smb://ana@sql01.lab/share": "write sql01.lab,", "//sql01/c$": "write sql01,",
		"rdp://ana:secret@sql01:3389": "write sql01:3389,", "a:b:c": "NAME:PORT", `\\`: "NAME:PORT", "smb://": "NAME:PORT",
	} {
		_, err := parseAddress(text)
		if hint := failure.Hint(err); !strings.Contains(hint, want) || strings.Contains(hint, "secret") {
			t.Errorf("%s: %v, hint %q", text, err, hint)
		}
	}
	for text, want := range map[string]string{"srv1:445": "srv1", "srv1:446": "srv1:446", "tcp://srv1:14500": "srv1:14500", "tcp://srv1": "srv1:14500", "tcp://srv1:445": "srv1:445", "[2001:db8::1]:9": "[2001:db8::1]:9", "a b": "a b"} {
		if got := DisplayName(text); got != want {
			t.Errorf("%s is shown as %s", text, got)
		}
	}
}

func TestSameHost(t *testing.T) {
	find := func(host string) ([]string, error) {
		at := map[string]string{"srv1": "10.0.0.1", "srv1.corp": "10.0.0.2 10.0.0.1", "srv2": "10.0.0.3", "srv2.corp": "10.0.0.4"}[strings.ToLower(host)]
		if at == "" {
			return nil, errors.New("no such host")
		}
		return strings.Fields(at), nil
	}
	for _, v := range []struct {
		a, b string
		want bool
	}{
		{"srv1", "SRV1", true},
		{"srv1", "srv1.", true},
		{"srv1", "srv1.corp", true},
		{"SRV1.corp", "srv1", true},
		{"srv1", "srv1:445", true},
		{"srv1", "srv1:446", false},
		{"srv1", "tcp://srv1", false},
		{"srv2", "srv2.corp", false},
		{"srv3", "srv3.corp", false},
		{"srv1", "srv10.corp", false},
		{"srv1.corp", "srv1.corp.example", false},
		{"10", "10.0.0.1", false},
		{"local", "LOCAL", false},
		{"local", "local", true},
	} {
		a, b := Target{Name: DisplayName(v.a), Address: v.a}, Target{Name: DisplayName(v.b), Address: v.b}
		if got := sameTarget(a, b, find); got != v.want {
			t.Errorf("%s and %s: %v", v.a, v.b, got)
		}
	}
}
