package compare

import (
	"fmt"
	"math"
	"strconv"
)

// Words is how much a counter changed, in words.
func Words(c *Change) string {
	ratio := c.To / c.From
	switch up := c.To > c.From; {
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
