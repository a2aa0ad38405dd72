package pipeline

import (
	"cmp"
	"context"

	"perfdeck/paths"
	"perfdeck/session/alert/action"
	"perfdeck/session/config"
)

// Secrets fetches what a config refers to; what tells the user what it is for.
type Secrets func(ctx context.Context, what, account string, ref config.PasswordRef) ([]byte, error)

// TargetsOf are what a config says of those that actions name. fetch is called when one
// of them needs its secret.
func TargetsOf(file *config.Config, fetch Secrets) action.Targets {
	out := action.Targets{Tasks: map[string]action.Task{}, Webhooks: map[string]action.Webhook{}, Alertmanagers: map[string]action.Alertmanager{}}
	for name, t := range file.Alerts.Tasks {
		out.Tasks[name] = action.Task{Command: t.Command, Timeout: t.Timeout, Most: t.Most}
	}
	for name, w := range file.Alerts.Webhooks {
		hook := action.Webhook{URL: w.URL, Header: w.Header, CAFile: w.CAFile, PerMinute: w.PerMinute}
		if !w.Token.IsZero() {
			hook.Token = func(ctx context.Context) ([]byte, error) { return fetch(ctx, "webhook "+name, name, w.Token) }
		}
		out.Webhooks[name] = hook
	}
	for _, m := range file.Alerts.Alertmanagers {
		to := action.Alertmanager{URLs: m.URLs, User: m.User, CAFile: m.CAFile, Repeat: m.Repeat, Labels: m.Labels, Link: m.Link}
		if !m.Secret.IsZero() {
			to.Secret = func(ctx context.Context) ([]byte, error) {
				return fetch(ctx, "Alertmanager "+m.Name, cmp.Or(m.User, m.Name), m.Secret)
			}
		}
		out.Alertmanagers[paths.Fold(m.Name)] = to
	}
	return out
}
