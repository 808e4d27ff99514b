-- The tables of samples.bakehouse and samples.wanderbricks are built in.
-- expect: no jvm

SHOW TABLES IN samples.bakehouse;
SHOW TABLES IN samples.wanderbricks;
DESCRIBE samples.wanderbricks.bookings;
SELECT transactionID, dateTime, product, quantity, totalPrice FROM samples.bakehouse.sales_transactions ORDER BY transactionID LIMIT 2;
SELECT customerID, first_name, country FROM samples.bakehouse.sales_customers ORDER BY customerID LIMIT 2;
SELECT franchiseID, name, city, supplierID FROM samples.bakehouse.sales_franchises ORDER BY franchiseID LIMIT 2;
SELECT supplierID, name, approved FROM samples.bakehouse.sales_suppliers ORDER BY supplierID LIMIT 2;
SELECT * FROM samples.bakehouse.media_customer_reviews LIMIT 1;
SELECT * FROM samples.wanderbricks.bookings ORDER BY booking_id LIMIT 2;
SELECT booking_update_id, booking_id, status FROM samples.wanderbricks.booking_updates ORDER BY booking_update_id LIMIT 2;
SELECT property_id, title, base_price, max_guests FROM samples.wanderbricks.properties ORDER BY property_id LIMIT 2;
SELECT * FROM samples.wanderbricks.destinations ORDER BY destination_id LIMIT 1;
SELECT * FROM samples.wanderbricks.users ORDER BY user_id LIMIT 2;
SELECT host_id, name, rating, joined_at FROM samples.wanderbricks.hosts ORDER BY host_id LIMIT 2;
SELECT * FROM samples.wanderbricks.payments ORDER BY payment_id LIMIT 2;
SELECT * FROM samples.wanderbricks.reviews ORDER BY review_id LIMIT 1;
SELECT * FROM samples.wanderbricks.amenities ORDER BY amenity_id LIMIT 1;
SELECT count(*) FROM samples.wanderbricks.property_amenities;
SELECT * FROM samples.wanderbricks.clickstream LIMIT 2;
SELECT event, count(*) AS events FROM samples.wanderbricks.clickstream GROUP BY event ORDER BY event;
DESCRIBE samples.wanderbricks.customer_support_logs;
SELECT * FROM samples.wanderbricks.customer_support_logs ORDER BY ticket_id LIMIT 2;
SELECT * FROM samples.wanderbricks.employees ORDER BY employee_id LIMIT 2;
SELECT * FROM samples.wanderbricks.property_images ORDER BY image_id LIMIT 2;
-- name: a name that is nearly there
SELECT * FROM samples.wanderbricks.booking;
