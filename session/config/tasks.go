package config

import (
	"strings"
	"time"

	"perfdeck/session/system/httpclient"
)

// Task is a [tasks.NAME] table: a program that alerts may run.
type Task struct {
	Command []string      // a program, by its bare name, absolute or below ~/, and its arguments
	Timeout time.Duration // after which it is ended with all that it started
	Most    int           // so many may run at once
}

// Webhook is a [webhooks.NAME] table: where alerts are sent to.
type Webhook struct {
	URL       string
	Token     PasswordRef // Keyring is a service, the account is the webhook's name
	Header    string      // that carries the token; empty: not said
	CAFile    string      // certificates that are trusted instead of the system's; empty: none
	PerMinute int         // requests; 0: not said
}

// The defaults and limits of tasks and webhooks.
const (
	defaultTaskTime   = 30 * time.Second
	mostTaskTime      = time.Hour
	defaultTasks      = 4
	mostTasks         = 64
	mostPerMinute     = 600
	mostListItems     = 100
	mostAlertTextSize = 1024
)

// named goes through the tables of a table, as [tasks.NAME].
func (t table) named(key string, each func(name string, t table)) {
	all, ok := t.table(key)
	if !ok {
		return
	}
	for _, name := range all.keys() {
		if !plainText(name) || strings.TrimSpace(name) != name {
			all.misnamed(name, "a name that can be seen")
			continue
		}
		if one, ok := all.table(name); ok {
			each(name, one)
		}
	}
}

func decodeTask(t table) Task {
	task := Task{Timeout: defaultTaskTime, Most: defaultTasks}
	if v, there := t.value("command"); there {
		task.Command = t.command("command", v)
	} else {
		t.missing("command", `a program and its arguments, as ["mail.sh", "{counter}"]`)
	}
	set(t, "timeout", duration(time.Second, mostTaskTime), &task.Timeout)
	set(t, "most", whole(1, mostTasks), &task.Most)
	return task
}

// tokenAt is where a token may be said to be.
var tokenAt = secretKeys{bare: "token", file: "token_file", command: "token_command", keyring: "token_keyring"}

func decodeWebhook(t table) Webhook {
	w := Webhook{URL: required(t, "url", text(`an address, as "https://example.com/hook"; http:// only of this computer`, isSafeAddress)), Token: t.secretRef(tokenAt)}
	set(t, "header", text("the name of a header, as \"Authorization\"", isHeader), &w.Header)
	set(t, "ca_file", wholePath(), &w.CAFile)
	set(t, "per_minute", whole(1, mostPerMinute), &w.PerMinute)
	return w
}

// isSafeAddress tells an https address; http only of this computer, where nobody
// listens in.
func isSafeAddress(s string) bool {
	u, ok := webURL(s)
	return ok && (u.Scheme == "https" || httpclient.IsOwnHost(u))
}

func isHeader(s string) bool {
	return s != "" && len(s) <= maxNameLen && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") == ""
}
