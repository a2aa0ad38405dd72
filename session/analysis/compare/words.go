package compare

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// String is the word of the kind.
func (k Kind) String() string {
	return [...]string{Level: "level", Often: "often", New: "new", Gone: "gone"}[k]
}

// Words is how much a series changed, in words.
func (c *Change) Words() string {
	ratio := c.To / c.From
	switch up := c.To > c.From; {
	case c.Kind == New, c.Kind == Gone:
		return c.Kind.String()
	case c.Kind == Often && up:
		return "more often"
	case c.Kind == Often:
		return "less often"
	case c.From == 0:
		return "from 0"
	case c.To == 0:
		return "to 0"
	case ratio < 0 && up:
		return "up"
	case ratio < 0:
		return "down"
	case ratio >= 10:
		return strconv.FormatFloat(math.Round(ratio), 'f', -1, 64) + " times"
	case ratio >= 2:
		return strconv.FormatFloat(ratio, 'f', 1, 64) + " times"
	}
	return fmt.Sprintf("%+.0f %%", 100*(ratio-1))
}

// IsUp tells whether it went up, or came.
func (c *Change) IsUp() bool { return c.Kind == New || c.Kind != Gone && c.To > c.From }

// TimeBefore is how much time before a span it is compared with, where there is as much.
func TimeBefore(span time.Duration) time.Duration {
	const times, least = 12, 30 * time.Minute
	return max(min(span, math.MaxInt64/(2*times))*times, least)
}
