package logon

import (
	"path/filepath"
	"strings"
	"testing"

	"perfdeck/session/config"
)

// Files of tokens and passwords that cannot be read are found before they are needed, and
// called what they are.
func TestLackingSecrets(t *testing.T) {
	none := config.PasswordRef{File: filepath.Join(t.TempDir(), "none")}
	file := &config.Config{}
	file.Alerts.Webhooks = map[string]config.Webhook{"w": {Token: none}, "well": {}}
	file.Alerts.Alertmanagers = []config.Alertmanager{{Name: "a", User: "u", Secret: none}}
	var said []string
	for _, err := range Lacking(file) {
		said = append(said, err.Error())
	}
	if len(said) != 2 || !strings.Contains(said[0], "webhook w: read its token") || !strings.Contains(said[1], "Alertmanager a: read its password") {
		t.Errorf("found %q", said)
	}
}
