package replay

import "time"

// Extent is the usual interval of the host's recording, 0 if it is not known, and
// the time of its last sample.
func (h *Host) Extent() (interval time.Duration, last time.Time) {
	return h.tape.source.interval, h.tape.source.last
}
