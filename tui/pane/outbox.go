package pane

// Outbox is where screens and dialogs put what they want of the root. What a key
// or a click puts there is done, in order, before the next one is looked at.
type Outbox struct{ list []Intent }

// Intent is something that screens and dialogs want of the root: one of the types
// of messages.go.
type Intent interface{ intent() }

// Send puts an intent behind those that are there.
func (o *Outbox) Send(i Intent) { o.list = append(o.list, i) }

// Drain lets do have every intent. What an intent causes is done before what was
// put behind it: who sends two of them may rely on the first being done when the
// second is.
func (o *Outbox) Drain(do func(Intent)) {
	for len(o.list) > 0 {
		list := o.list
		o.list = nil
		for _, i := range list {
			do(i)
			o.Drain(do)
		}
	}
}
