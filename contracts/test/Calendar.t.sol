// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Calendar} from "../Calendar.sol";

/// @notice Calendar months against dates known from elsewhere, and against counting day by day.
contract CalendarTest {
    uint256 private constant JAN_31_2024 = 1_706_704_496; // 2024-01-31T12:34:56Z

    function test_theDayIsClampedToTheMonthsEnd() public pure {
        is_(Calendar.addMonths(JAN_31_2024, 0), JAN_31_2024);
        is_(Calendar.addMonths(JAN_31_2024, 1), 1_709_210_096); // 2024-02-29T12:34:56Z
        is_(Calendar.addMonths(JAN_31_2024, 2), 1_711_888_496); // 2024-03-31
        is_(Calendar.addMonths(JAN_31_2024, 3), 1_714_480_496); // 2024-04-30
        is_(Calendar.addMonths(JAN_31_2024, 12), 1_738_326_896); // 2025-01-31
        is_(Calendar.addMonths(JAN_31_2024, 13), 1_740_746_096); // 2025-02-28
    }

    function test_aLeapDayComesBackInLeapYears() public pure {
        uint256 leapDay = 1_709_164_800; // 2024-02-29T00:00:00Z
        is_(Calendar.addMonths(leapDay, 12), 1_740_700_800); // 2025-02-28
        is_(Calendar.addMonths(leapDay, 48), 1_835_395_200); // 2028-02-29
        is_(Calendar.addMonths(leapDay, 12 * 76), 4_107_456_000); // 2100-02-28: no leap year
        is_(Calendar.addMonths(951_782_400, 1), 954_288_000); // 2000-02-29, a leap year, to 2000-03-29
    }

    function test_theEpochItself() public pure {
        is_(Calendar.addMonths(0, 1), 31 days);
        is_(Calendar.addMonths(0, 12), 365 days);
        is_(Calendar.addMonths(0, 12 * 30), 946_684_800); // 2000-01-01
    }

    function testFuzz_agreesWithCounting(uint40 timestamp, uint16 months) public pure {
        uint256 start = uint256(timestamp) % 8_000_000_000;
        months %= 1_000;
        is_(Calendar.addMonths(start, months), counted(start, months));
    }

    function testFuzz_laterStaysLater(uint40 timestamp, uint32 months) public pure {
        uint256 from = Calendar.addMonths(timestamp, months);
        uint256 next = Calendar.addMonths(timestamp, uint256(months) + 1);
        require(next >= from + 28 days && next <= from + 31 days, "not one month");
    }

    /// @dev Year by year, month by month, with the Gregorian rule spelled out.
    function counted(uint256 timestamp, uint256 months) private pure returns (uint256) {
        uint256 day = timestamp / 1 days;
        uint256 year = 1970;
        while (day >= (isLeap(year) ? 366 : 365)) {
            day -= isLeap(year) ? 366 : 365;
            year++;
        }
        uint256 month = 1;
        while (day >= daysIn(year, month)) {
            day -= daysIn(year, month);
            month++;
        }
        uint256 endMonth = (month - 1 + months) % 12 + 1;
        uint256 endYear = year + (month - 1 + months) / 12;
        uint256 total;
        for (uint256 y = 1970; y < endYear; y++) {
            total += isLeap(y) ? 366 : 365;
        }
        for (uint256 m = 1; m < endMonth; m++) {
            total += daysIn(endYear, m);
        }
        uint256 last = daysIn(endYear, endMonth) - 1;
        return (total + (day > last ? last : day)) * 1 days + timestamp % 1 days;
    }

    function isLeap(uint256 year) private pure returns (bool) {
        return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    }

    function daysIn(uint256 year, uint256 month) private pure returns (uint256) {
        if (month == 2) return isLeap(year) ? 29 : 28;
        if (month == 4 || month == 6 || month == 9 || month == 11) return 30;
        return 31;
    }

    error Different(uint256 actual, uint256 expected);

    function is_(uint256 actual, uint256 expected) private pure {
        if (actual != expected) revert Different(actual, expected);
    }
}
