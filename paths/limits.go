package paths

// The longest texts in UTF-16 units, without the NUL that pdh.h counts.
const (
	MaxPath = 2048 - 1 // PDH_MAX_COUNTER_PATH
	MaxName = 1024 - 1 // PDH_MAX_COUNTER_NAME, PDH_MAX_INSTANCE_NAME
)

// beyond returns the byte offset of the first character of s that does not fit
// in limit UTF-16 units.
func beyond(s string, limit int) (at int, over bool) {
	if len(s) <= limit { // no character has more units than bytes
		return 0, false
	}
	units := 0
	for i, r := range s {
		units++
		if r > 0xFFFF {
			units++ // a surrogate pair
		}
		if units > limit {
			return i, true
		}
	}
	return 0, false
}
