package output

import (
	"io"

	"perfdeck/cooker"
	"perfdeck/session/collector"
	"perfdeck/session/logs"
)

// jsonLines writes one object a line for each sample of a host.
type jsonLines struct {
	w      io.Writer
	look   Look
	sample logs.JSONSample
	line   []byte
}

func newJSONLines(o outlet, l Look) rowWriter { return &jsonLines{w: o.w, look: l} }

func (j *jsonLines) write(r *collector.Row) error {
	for _, s := range r.Samples {
		j.sample.Time, j.sample.Host, j.sample.Values = s.Time, s.Host, j.sample.Values[:0]
		for _, c := range s.Cells {
			j.sample.Values = append(j.sample.Values, logs.JSONValue{Path: c.Text, Value: c.Value, Text: j.look.Text(c, cooker.DefaultDigits)})
		}
		j.line = logs.AppendJSON(j.line[:0], &j.sample)
		if _, err := j.w.Write(j.line); err != nil {
			return err
		}
	}
	return nil
}
