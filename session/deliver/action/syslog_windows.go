package action

import (
	"golang.org/x/sys/windows/svc/eventlog"

	"perfdeck/session/alert"
	"perfdeck/session/system/service"
	"perfdeck/session/text/printable"
)

// eventID is that of Performance Logs and Alerts: "counter crossed" (event 2031).
const eventID = 2031

// logToSystem hands a notice to the application's event log.
func logToSystem(n *alert.Notice) error {
	l, err := eventlog.Open(identifier)
	if err != nil {
		return err
	}
	defer l.Close() //nolint:errcheck // nothing is lost
	text := printable.Text(n.Line())
	switch p := PriorityOf(n); {
	case p <= service.Critical:
		return l.Error(eventID, text)
	case p <= service.Notice:
		return l.Warning(eventID, text)
	}
	return l.Info(eventID, text)
}
