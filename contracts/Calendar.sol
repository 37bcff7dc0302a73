// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Calendar months on unix seconds, UTC, proleptic Gregorian
/// @notice Years begin in March here, so that the leap day is the last day of the year and month lengths follow one
///         formula: the days before month m (March is 0) are floor((153 m + 2) / 5).
library Calendar {
    /// @dev Days from 0000-03-01 to 1970-01-01.
    uint256 private constant EPOCH_DAYS = 719_468;
    uint256 private constant DAYS_PER_400_YEARS = 146_097;

    /// @notice The same day and time of day `months` later; a day that the month lacks becomes its last day.
    /// @param timestamp unix seconds, at most 2^64
    /// @param months at most 2^64
    /// @return unix seconds
    function addMonths(uint256 timestamp, uint256 months) internal pure returns (uint256) {
        unchecked {
            uint256 daysTotal = timestamp / 1 days + EPOCH_DAYS;
            uint256 dayOfEra = daysTotal % DAYS_PER_400_YEARS;
            uint256 yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365;
            uint256 dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
            uint256 month = (5 * dayOfYear + 2) / 153;
            uint256 day = dayOfYear - _daysBefore(month);

            months += (daysTotal / DAYS_PER_400_YEARS * 400 + yearOfEra) * 12 + month;
            uint256 last = _daysIn(months / 12, months % 12) - 1;
            if (day > last) day = last;
            return (_daysToYear(months / 12) + _daysBefore(months % 12) + day - EPOCH_DAYS) * 1 days
                + timestamp % 1 days;
        }
    }

    /// @dev Days in a year's months before this one.
    function _daysBefore(uint256 month) private pure returns (uint256) {
        unchecked {
            return (153 * month + 2) / 5;
        }
    }

    /// @dev Days from 0000-03-01 to the first of March of a year.
    function _daysToYear(uint256 year) private pure returns (uint256) {
        unchecked {
            return 365 * year + year / 4 - year / 100 + year / 400;
        }
    }

    /// @dev February (11) has what is left of the year, which ends with it.
    function _daysIn(uint256 year, uint256 month) private pure returns (uint256) {
        unchecked {
            if (month < 11) return _daysBefore(month + 1) - _daysBefore(month);
            return _daysToYear(year + 1) - _daysToYear(year) - _daysBefore(11);
        }
    }
}
